"""Builtins of the shell that change what later commands mean."""

import re
from typing import Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.shell import redirects
from refute.scan.shell.call import Call
from refute.scan.shell.checkers import always_agrees, is_checker
from refute.scan.shell.functions import call_function
from refute.scan.shell.options import split_options
from refute.scan.shell.printed_files import files_read, note_content
from refute.scan.symbols import HERE, NAME, OUTPUT, UNKNOWN, is_known, is_open


def _trap(call: Call) -> str:
    words = [word for word in call.argv[1:] if word != "--"]
    if len(words) > 1 and words[0] not in {"-", "", "-l", "-p"}:
        shared = call.walker.shared
        # It runs late: what is not known yet may be set by then, so the end of the script judges it once more.
        shared.late.append((call, words[0]))
        outer, shared.uncalled = shared.uncalled, True
        run_late(call, words[0])
        shared.uncalled = outer
    return ""


def run_late(call: Call, action: str) -> None:
    """Judge what a trap runs."""
    if not action.strip(UNKNOWN + OUTPUT + NAME + " \n;"):
        strong = UNKNOWN in action and not call.walker.shared.uncalled
        call.act.add("unresolved-command", severity=None if strong else Severity.MEDIUM)
    elif action in call.walker.scope.functions:
        call_function(Call(call.walker, [action], call.node, ""))
    elif re.fullmatch(r"[\w-]+", action):
        call.walker.shared.called.discard(action)
    else:
        call.walker.embedded(action, call.node)


def _alias(call: Call) -> str:
    for word in call.argv[1:]:
        name, equals, text = word.partition("=")
        if equals:
            call.walker.scope.aliases[name] = text
            if is_checker(name) and always_agrees(text):
                call.act.add("test-tampering", detail="Tests seem to pass without being run.")
            call.walker.embedded(text, call.node)
    return ""


def _hash(call: Call) -> str:
    """`hash -p PATH NAME` makes a name stand for a program, as an alias does."""
    options, operands = split_options(call.argv[1:], "p")
    for name in operands if options.get("p") else ():
        call.walker.scope.aliases[name] = options["p"][0]
    return ""


def _enable(call: Call) -> str:
    if split_options(call.argv[1:], "f")[0].get("f"):
        call.act.add("preload", detail="Loads a library into the shell.")
    return ""


def _let(call: Call) -> str:
    for word in call.argv[1:]:
        redirects.evaluated(call.walker, word, call.node)
    return ""


def _cd(call: Call) -> str:
    operands = [word for word in call.argv[1:] if word == "-" or not word.startswith("-")]
    scope = call.walker.scope
    home = scope.lookup("HOME")[0]
    scope.cwd = HERE if operands == ["-"] else paths.locate(operands[0] if operands else home, scope.cwd).text
    scope.variables.pop("PWD", None)
    scope.assign("PWD", (scope.cwd,))
    return ""


def _read_variables(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "adinNptu")
    lines = call.stdin.split("\n") if call.stdin else []
    first = lines[0] if lines and not (len(lines) > 2) else UNKNOWN  # noqa: PLR2004 - one line and its end
    parts = max(len(operands) - 1, 0) if "a" not in options else -1
    values = _split_at_separators(call, first, parts) if first and not is_open(first) else []
    read = files_read(call.walker, call.node)
    for index, name in enumerate(operands or ["REPLY"]):
        note_content(call.walker, name, read)
        call.walker.scope.assign(
            name, (values[index] if index < len(values) else (first or UNKNOWN) if is_open(first or UNKNOWN) else "",)
        )
    for name in options.get("a", []):
        call.walker.scope.arrays[name] = values or [UNKNOWN]
    return ""


def _split_at_separators(call: Call, text: str, parts: int) -> list[str]:
    """A line's fields as `read` parts them at `IFS`, the last of which takes the rest."""
    separators = call.walker.scope.variables.get("IFS", (" ",))[-1]
    if not separators.strip() or not is_known(separators):
        return text.split(None, parts)
    return re.split(f"[{re.escape(separators)}]", text.rstrip("\n"), maxsplit=max(parts, 0)) if parts else [text]


def _read_lines(call: Call) -> str:
    """`mapfile` and `readarray`: one element a line, or up to the character that `-d` names."""
    options, operands = split_options(call.argv[1:], "dnOsuCc")
    for action in options.get("C", []):
        call.walker.embedded(action, call.node)
    lines = call.stdin.rstrip("\n").split((options.get("d") or ["\n"])[0][:1] or "\0") if call.stdin else [UNKNOWN]
    name = operands[0] if operands else "MAPFILE"
    call.walker.scope.arrays[name] = lines
    note_content(call.walker, name, files_read(call.walker, call.node))
    return ""


def _shift(call: Call) -> str:
    arguments = call.walker.scope.arguments
    if arguments:
        count = int(call.argv[1]) if len(call.argv) > 1 and call.argv[1].isdigit() else 1
        # A word that is not known may stand for several, of which more are left.
        rest = [word for word in arguments[:count] if is_open(word)]
        call.walker.scope.arguments = [*rest[-1:], *arguments[count:]]
    return ""


COMMANDS: Final = {
    "trap": _trap,
    "alias": _alias,
    **dict.fromkeys(("cd", "pushd", "chdir"), _cd),
    "read": _read_variables,
    "mapfile": _read_lines,
    "readarray": _read_lines,
    "shift": _shift,
    "hash": _hash,
    "enable": _enable,
    **dict.fromkeys(("let", "test", "["), _let),
}
