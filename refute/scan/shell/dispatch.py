"""From a command's words to the check that knows it: wrappers stripped, functions and aliases followed."""

# ruff: noqa: PLR0911 - decision lists read best with one return per case

import re
from fnmatch import fnmatchcase
from typing import Final

from refute.scan import hosts, paths, sensitive
from refute.scan.finding import Severity
from refute.scan.shell.call import Call, list_globs
from refute.scan.shell.commands import COMMANDS
from refute.scan.shell.functions import call_function
from refute.scan.shell.printed_files import run_word
from refute.scan.shell.wrapper_table import WRAPPERS
from refute.scan.shell.wrappers import unwrap
from refute.scan.symbols import DECODED, DERIVED, DOWNLOAD, EMPTY, NAME, OWN_PROCESS, SECRET, TEMP, UNKNOWN, is_open

_MAX_WRAPPERS: Final = 12
_KEEPS_MARK: Final = frozenset(
    {"echo", "printf", "eval", "sh", "bash", "dash", "zsh", "ksh", "python", "python3", "perl"}
)
_GLOB: Final = re.compile(r"[*?\[]")
_THIS_SHELL: Final = re.compile(f"/proc/(?:self|thread-self|[\\d{OWN_PROCESS}]+)/exe")
_MAKES_TEMPORARY: Final = re.compile(
    r"(?i)(?:mk|make_?|create_?|new_?|get_?)\w*te?mp(?:orary)?(?:_?(?:dir|directory|file|folder)s?)?"
)
_DANGEROUS: Final = frozenset(
    [
        "rm",
        "curl",
        "wget",
        "nc",
        "ncat",
        "cat",
        "bash",
        "sh",
        "dd",
        "mkfs",
        "chmod",
        "chown",
        "sudo",
        "su",
        "kill",
        "python",
        "python3",
        "perl",
        "cp",
        "mv",
        "tee",
        "ssh",
        "base64",
    ]
)


def dispatch(call: Call) -> str:
    """Judge one command; returns what it prints, as far as that is known."""
    for _ in range(_MAX_WRAPPERS):
        _unmark(call)
        word = call.argv[0]
        if word in call.walker.scope.functions:
            return call_function(call)
        call.argv = ["" if argument == EMPTY else argument for argument in call.argv]
        if word in call.walker.scope.aliases and len(call.argv) > 0:
            text = " ".join([call.walker.scope.aliases[word], *call.argv[1:]])
            call.walker.scope.aliases.pop(word)
            return call.walker.embedded(text, call.node)
        if _unresolved(call):
            return UNKNOWN
        name = word.rpartition("/")[2] if not word.endswith("/") else word
        name = "bash" if _THIS_SHELL.fullmatch(word) else name
        inner = unwrap(call, name)
        if inner is None:
            handler = COMMANDS.get(name) or COMMANDS.get(re.sub(r"[\d.]+\Z", "", name))
            return _judge(call, name, handler)
        if name in WRAPPERS and name in COMMANDS:  # what it does besides
            _judge(Call(call.walker, call.argv, call.node, call.stdin, call.background), name, COMMANDS[name])
        if not inner:
            return ""
        call = Call(call.walker, inner, call.node, call.stdin, call.background)
    call.act.add("unanalysable", detail="Too many wrappers around one command.")
    return UNKNOWN


def _unmark(call: Call) -> None:
    word = call.argv[0]
    if DECODED in word:
        call.argv[0] = word.replace(DECODED, "")
        call.act.add("decoded-execution")
    if call.argv[0].rpartition("/")[2] not in _KEEPS_MARK:
        call.argv = [call.argv[0], *[argument.replace(DECODED, "") for argument in call.argv[1:]]]


def _judge(call: Call, name: str, handler: object) -> str:
    from refute.scan.shell.commands import run_file  # noqa: PLC0415 - late, like the table it completes

    _note_on_path(call, name)
    if callable(handler):
        original = call.argv[0]
        call.argv = [name, *call.argv[1:]]
        output = handler(call)
        if "/" in original:
            call.argv[0] = original
        return UNKNOWN if output is None else str(output)
    list_globs(call, call.argv[1:])
    if "/" in call.argv[0]:
        run_file(call, call.argv[0], arguments=call.argv[1:])
    else:
        call.walker.shared.report.reached.append((call.argv[0], "command"))
        if _MAKES_TEMPORARY.fullmatch(name) and "PATH" not in call.walker.scope.variables:
            # Of a sourced file that is not at hand, or a project's own helper: it is called what it does.
            detail = "Taken for a maker of temporary files by its name."
            call.act.add("unresolved-command", severity=Severity.MEDIUM, detail=detail)
            return f"{TEMP}/{name}"
    return UNKNOWN


def _note_on_path(call: Call, name: str) -> None:
    """Note the programs of the workspace that stand for a name once the script has put their directory on its path."""
    scope = call.walker.scope
    if "PATH" in scope.variables and "/" not in call.argv[0]:
        for directory in {part for value in scope.lookup("PATH") for part in value.split(":")}:
            target = paths.locate(f"{directory}/{name}", scope.cwd)
            if directory and target.place == paths.Place.WORKSPACE and not is_open(target.text):
                call.walker.shared.report.reached.append((target.text[2:], ""))


def _unresolved(call: Call) -> bool:
    """Judge a command word that is not known; True when nothing more can be said about the command."""
    word = call.argv[0]
    if DOWNLOAD in word:
        call.act.add("pipe-to-shell")
        return True
    if DERIVED in word:
        call.act.add("decoded-execution")
        return True
    if _GLOB.search(word) and not word.startswith("["):
        pattern = word.rpartition("/")[2]
        own = "/" in word and paths.inside_or_temporary(paths.locate(word, call.walker.scope.cwd))
        if _GLOB.search(pattern) and not own and any(fnmatchcase(known, pattern) for known in _DANGEROUS):
            call.act.add("unresolved-command", detail="The command word is a pattern for file names.")
            return True
        return False
    if not is_open(word) or SECRET in word:
        if NAME in word and "/" not in word and any(is_dangerous_operand(call, argument) for argument in call.argv[1:]):
            call.act.add("unresolved-command")
        return False
    if word.startswith(UNKNOWN) and "/" in word and not is_open(word.rpartition("/")[2]):
        return False
    if any(is_dangerous_operand(call, argument) for argument in call.argv[1:]):
        call.act.add("unresolved-command")
    run_word(call)
    return True


def is_dangerous_operand(call: Call, argument: str) -> bool:
    """Whether an argument is dangerous for whichever command gets it."""
    if DERIVED in argument or DOWNLOAD in argument:
        return True
    if "://" in argument:
        host = hosts.host_of(argument)
        return host is not None and hosts.reach_of(host) in {hosts.Reach.EXTERNAL, hosts.Reach.METADATA}
    if re.fullmatch(r"-[a-zA-Z]*(?:rf|fr)[a-zA-Z]*|--no-preserve-root", argument):
        return True
    if argument.startswith(("/", "~")):
        target = paths.locate(argument, call.walker.scope.cwd)
        return sensitive.is_credentials(target.text) or target.text == "/"
    return False
