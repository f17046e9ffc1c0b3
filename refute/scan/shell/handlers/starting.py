"""Commands that start another one in ways that a row cannot say."""

import re
import shlex
from typing import Final

from refute.scan.core import paths
from refute.scan.core.effects import Effects, Eval, Flag, Run, RunFile
from refute.scan.core.symbols import NAME, OTHER_PROCESS, SECRET, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell.assignments import effects_of_setting
from refute.scan.shell.options import ASSIGNMENT, split_options
from refute.scan.shell.rows import read_all
from refute.scan.shell.state import Call
from refute.scan.shell.syntax import text_of
from refute.scan.shell.wrapping import without_assignments

_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "python", "python3", "perl"})
_INSTALLED: Final = re.compile(r"/(?:usr/)?(?:local/)?s?bin/[^/]+\Z")
_PROCESS_LIST: Final = re.compile(
    r"\b(?:lsof(?!\s+(?:-\w+\s+)*-\w*i(?:\s*tcp)?:\d{4,5}\b)|fuser|netstat|ss|top)\b[^|]*\|"
)


def _command(call: Call, _row: Command) -> Effects:
    words = split_options(call.argv[1:], "")[1]
    if call.argv[1:] and call.argv[1].startswith(("-v", "-V")):
        return (words or [UNKNOWN])[0] + "\n"
    return (yield Run(tuple(words), call.stdin)) if words else ""


def _env(call: Call, _row: Command) -> Effects:
    """`env` sets variables for a command, and without one prints them all."""
    options, words = split_options(call.argv[1:], "uCS", frozenset({"unset", "chdir", "split-string"}))
    for text in [*options.get("S", []), *options.get("split-string", [])]:
        try:
            words = [*shlex.split(text), *words]
        except ValueError:
            yield Flag("unanalysable", detail="`env -S` with unbalanced quotes.")
    for directory in [*options.get("C", []), *options.get("chdir", [])]:
        call.scope.cwd = paths.locate(directory, call.scope.cwd).text
    while words and ASSIGNMENT.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        yield from effects_of_setting(name, value)
        # For the command alone; which of both values counts later is left open.
        call.scope.variables[name] = tuple(dict.fromkeys((value, *call.scope.lookup(name))))
    if not words:
        return SECRET
    return (yield Run(tuple(words), call.stdin))


def _printenv(call: Call, _row: Command) -> Effects:
    yield from ()
    operands = [word for word in call.argv[1:] if not word.startswith("-")]
    telling = re.search(r"(?i)key|token|secret|passw", " ".join(operands))
    return UNKNOWN if operands and not telling else SECRET


def _privileged(call: Call, _row: Command) -> Effects:
    name, *rest = call.argv
    if rest in (["--version"], ["-V"], ["--help"]):
        return ""
    valued = "ughpCTrtDRU" if name == "sudo" else "ucgsCw"
    options, words = split_options(rest, valued, mixed=name in {"su", "runuser", "sg"})
    for text in options.get("c", []):
        yield Eval(Language.SHELL, text)
    if name in {"su", "runuser", "sg"}:
        user = (options.get("u") or words[:1] or ["root"])[0] if name == "runuser" else (words or ["root"])[0]
        inner = (words if "u" in options else words[1:]) if name == "runuser" and "--" in rest else []
        known = bool(inner or options.get("c")) and user not in {"-", "root"} and not is_open(user)
    else:
        inner = without_assignments(words[1:] if name in {"gosu", "su-exec"} else words)
        known = _names_its_command(call, name, options, inner)
    yield Flag("privilege", mild=known)
    return (yield Run(tuple(inner), call.stdin)) if inner else ""


def _names_its_command(call: Call, name: str, options: dict[str, list[str]], inner: list[str]) -> bool:
    """Whether more rights are asked for one known command, itself judged: no shell, and no password handed over."""
    if name == "pkexec" or not inner or options.keys() & {"S", "s", "i", "e", "A", "edit", "shell", "login", "stdin"}:
        return False
    head = inner[0].rpartition("/")[2]
    if "/" in inner[0] and not _INSTALLED.match(inner[0]):
        return False
    shell = head in {"su", "login", "chroot", "visudo", "passwd"} or (head in _SHELLS and len(inner) == 1)
    return not shell and not is_open(inner[0]) and not is_open(call.stdin.replace(UNKNOWN, ""))


def _xargs(call: Call, row: Command) -> Effects:
    options, words = split_options(call.argv[1:], row.values)
    words = words or ["echo"]
    fed = (yield from read_all(options.get("a", []))) or call.stdin.strip("\n")
    head = words[0].rpartition("/")[2]
    pipeline = call.node.parent
    listed = OTHER_PROCESS in fed or (pipeline is not None and _PROCESS_LIST.search(text_of(pipeline)))
    if head == "kill" and listed:
        yield Flag("kill-process", detail="The processes are picked from a list of all.")
        return ""
    marker = (options.get("I") or options.get("i") or [""])[0] or ("{}" if options.keys() & {"I", "i"} else "")
    if marker:
        texts = [words[index + 1] for index, word in enumerate(words[:-1]) if word == "-c" and head in _SHELLS]
        if marker in texts and not fed.strip(UNKNOWN + NAME + "\n /"):
            yield Flag("pipe-to-shell", detail=f"The commands reach {head} from another program.")
            return ""
        lines = fed.split("\n")[:50] if fed and not is_open(fed) else [fed or UNKNOWN]
        for line in lines:
            yield Run(tuple(word.replace(marker, line) for word in words))
        return None
    separators = re.escape(options["d"][0]) if options.get("d", [""])[0] else r"\s\0"
    arguments = [piece.strip("\n") for piece in re.split(f"[{separators}]+", fed) if piece][:50] if fed else [UNKNOWN]
    if head in {"sh", "bash", "dash", "zsh", "ksh"} and len(words) == 1:
        if is_open(fed) or not fed:
            yield Flag("pipe-to-shell", detail=f"The commands reach {head} from another program.")
            return ""
        for file in arguments:
            yield RunFile(file, Language.SHELL)
        return ""
    # Without `-I` a blank separates; a single unknown name stays one argument.
    return (yield Run((*words, *(arguments or [NAME]))))


HANDLERS: Final = {
    "command": _command,
    "env": _env,
    "printenv": _printenv,
    "privileged": _privileged,
    "xargs": _xargs,
}
