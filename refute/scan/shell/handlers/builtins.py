"""Builtins of the shell that change what later commands mean."""

import re
from typing import Final

from refute.scan.core.effects import Effects, Eval, Flag
from refute.scan.core.symbols import HERE, SECRET, UNKNOWN, is_known, is_open
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell import redirects
from refute.scan.shell.checkers import always_agrees, is_checker
from refute.scan.shell.rows import split
from refute.scan.shell.state import Call


def _trap(call: Call, _row: Command) -> Effects:
    """It runs late: what is not known yet may be set by then, so the end of the script judges it once more."""
    words = [word for word in call.argv[1:] if word != "--"]
    if len(words) > 1 and words[0] not in {"-", "", "-l", "-p"}:
        action, shared = words[0], call.walker.shared
        shared.late.append((call, action))
        if action in call.scope.functions or re.fullmatch(r"[\w-]+", action):
            shared.called.discard(action)
        else:
            outer, shared.uncalled = shared.uncalled, True
            yield Eval(Language.SHELL, action)
            shared.uncalled = outer
    return ""


def _alias(call: Call, _row: Command) -> Effects:
    for word in call.argv[1:]:
        name, equals, text = word.partition("=")
        if equals:
            call.scope.aliases[name] = text
            if is_checker(name) and always_agrees(text):
                yield Flag("test-tampering", detail="Tests seem to pass without being run.")
            yield Eval(Language.SHELL, text)
    return ""


def _arithmetic(call: Call, _row: Command) -> Effects:
    yield from ()
    if call.argv[0] in {"let", "test", "["}:
        for word in call.argv[1:]:
            redirects.evaluated(call.walker, word, call.node)
    return "" if call.argv[0] != "yes" else "y\n" if len(call.argv) == 1 else UNKNOWN


def _cd(call: Call, _row: Command) -> Effects:
    yield from ()
    operands = [word for word in call.argv[1:] if word == "-" or not word.startswith("-")]
    scope = call.scope
    home = scope.lookup("HOME")[0]
    scope.cwd = HERE if operands == ["-"] else call.locate(operands[0] if operands else home).text
    scope.variables.pop("PWD", None)
    scope.assign("PWD", (scope.cwd,))
    return ""


def _read(call: Call, row: Command) -> Effects:
    yield from ()
    options, operands = split(call, row)
    lines = call.stdin.split("\n") if call.stdin else []
    first = lines[0] if lines and not (len(lines) > 2) else UNKNOWN  # noqa: PLR2004 - one line and its end
    parts = max(len(operands) - 1, 0) if "a" not in options else -1
    values = _fields(call, first, parts) if first and not is_open(first) else []
    unknown = first or UNKNOWN
    for index, name in enumerate(operands or ["REPLY"]):
        value = values[index] if index < len(values) else unknown if is_open(unknown) else ""
        call.scope.assign(name, (value,))
    for name in options.get("a", []):
        call.scope.arrays[name] = values or [UNKNOWN]
    return ""


def _fields(call: Call, text: str, parts: int) -> list[str]:
    """A line's fields as `read` parts them at `IFS`, the last of which takes the rest."""
    separators = call.scope.variables.get("IFS", (" ",))[-1]
    if not separators.strip() or not is_known(separators):
        return text.split(None, parts)
    return re.split(f"[{re.escape(separators)}]", text.rstrip("\n"), maxsplit=max(parts, 0)) if parts else [text]


def _mapfile(call: Call, row: Command) -> Effects:
    """`mapfile` and `readarray`: one element a line, or up to the character that `-d` names."""
    options, operands = split(call, row)
    for action in options.get("C", []):
        yield Eval(Language.SHELL, action)
    lines = call.stdin.rstrip("\n").split((options.get("d") or ["\n"])[0][:1] or "\0") if call.stdin else [UNKNOWN]
    call.scope.arrays[operands[0] if operands else "MAPFILE"] = lines
    return ""


def _shift(call: Call, _row: Command) -> Effects:
    yield from ()
    arguments = call.scope.arguments
    if arguments:
        count = int(call.argv[1]) if len(call.argv) > 1 and call.argv[1].isdigit() else 1
        # A word that is not known may stand for several, of which more are left.
        rest = [word for word in arguments[:count] if is_open(word)]
        call.scope.arguments = [*rest[-1:], *arguments[count:]]
    return ""


def _set(call: Call, _row: Command) -> Effects:
    words = call.argv[1:]
    if not words:
        return SECRET
    if words[:2] == ["+o", "history"]:
        yield Flag("history-tampering")
    if words[0] == "--":
        call.scope.arguments = words[1:]
    elif not words[0].startswith(("-", "+")):
        call.scope.arguments = words
    return ""


HANDLERS: Final = {
    "trap": _trap,
    "alias": _alias,
    "arithmetic": _arithmetic,
    "cd": _cd,
    "read": _read,
    "mapfile": _mapfile,
    "shift": _shift,
    "set": _set,
}
