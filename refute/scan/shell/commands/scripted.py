"""Programs with a small language of their own in which some lines are shell commands: `ed`, `expect`, `m4`."""

import re
from typing import Final

from refute.scan.shell.call import Call
from refute.scan.shell.commands.interpreters import given_text
from refute.scan.shell.options import split_options
from refute.scan.symbols import UNKNOWN, is_open

_EDITORS_COMMAND: Final = re.compile(r"(?m)^[\d,%$.;' ]*(?:[rwe] *)?!(.+)$")
_SPAWN: Final = re.compile(r"(?m)(?:^|;)\s*(?:spawn|exec)\s+(?:-\w+\s+)*([^;\n]+)")
_SEND: Final = re.compile(r"(?m)(?:^|;)\s*send\s+(?:--?\w*\s+)*\"((?:[^\"\\]|\\.)*)\"")
_TALKS_TO_SHELL: Final = re.compile(r"(?m)^\s*spawn\s+(?:\S*/)?(?:(?:ba|da|z|k)?sh|ssh|su|sudo|telnet)\b")
_TCL: Final = re.compile(r"\bopen\s+[\"{]?\||\b(?:socket|eval|subst|system|file\s+delete)\b|\[exec\b")
_CONSOLE_COMMAND: Final = re.compile(r"(?m)^\s*(?:\\!|\.(?:shell|system)\b|system\b)\s*(.+)$")
_M4: Final = re.compile(r"\be?syscmd\s*\(\s*[`\"]*([^'\")]*)")


def _text(call: Call, operands: list[str]) -> str:
    """The program's script, as far as this script holds it."""
    text = given_text(call, operands[0]) if operands else call.stdin
    return text if text and not is_open(text) else ""


def _run_all(call: Call, command: re.Pattern[str], text: str) -> None:
    """Judge every shell command that a pattern finds, by its first group."""
    for match in command.finditer(text):
        call.walker.embedded(match[1], call.node)


def run_editors_commands(call: Call, text: str) -> None:
    """Judge what a script of `ed`, `ex` or `vim` has a shell do."""
    _run_all(call, _EDITORS_COMMAND, text)


def _ed(call: Call) -> str:
    run_editors_commands(call, call.stdin)
    for path in split_options(call.argv[1:], "p", mixed=True)[1]:
        call.act.read(path)
    return UNKNOWN


def _expect(call: Call) -> str:
    options, operands = split_options(call.argv[1:], "cfd")
    for text in [*options.get("c", []), _text(call, [*options.get("f", []), *operands])]:
        if _TCL.search(text):
            call.act.add("foreign-code")
        _run_all(call, _SPAWN, text)
        for match in _SEND.finditer(text) if _TALKS_TO_SHELL.search(text) else ():
            call.walker.embedded(re.sub(r"\\[rn]", "\n", match[1]), call.node)
    return UNKNOWN


def _database(call: Call) -> str:
    r"""Consoles of databases, whose own commands run others: `\\! ls`, `.shell ls`."""
    options, operands = split_options(call.argv[1:], "hUpdPDcefvF", frozenset({"command", "execute"}), mixed=True)
    given = [*options.get("c", []), *options.get("e", []), *options.get("command", []), *options.get("execute", [])]
    for text in [*given, *operands, call.stdin]:
        _run_all(call, _CONSOLE_COMMAND, text)
    if call.argv[0] == "sqlite3":
        for path in operands[:1]:
            call.act.read(path)
    return UNKNOWN


def _m4(call: Call) -> str:
    operands = split_options(call.argv[1:], "DUIBHL", mixed=True)[1]
    for match in _M4.finditer(_text(call, operands)):
        call.act.add("foreign-code", detail="m4's syscmd runs a command.")
        call.walker.embedded(match[1], call.node)
    return UNKNOWN


COMMANDS: Final = {
    "ed": _ed,
    "red": _ed,
    "expect": _expect,
    "m4": _m4,
    **dict.fromkeys(("psql", "mysql", "sqlite3"), _database),
}
