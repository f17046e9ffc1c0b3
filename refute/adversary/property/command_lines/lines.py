"""Lines that stand for themselves: `COMMAND -> OUTPUT`, `COMMAND prints OUTPUT`, `COMMAND  # OUTPUT`."""

import re
from collections.abc import Collection
from typing import Final

from refute.adversary.attack import Origin
from refute.adversary.property.command_lines.command import Command, read_command
from refute.adversary.property.command_lines.programs import Programs
from refute.adversary.property.command_lines.steps import Run, Told
from refute.adversary.property.command_lines.values import changing, equals, is_usage, readings

_ARROW: Final = re.compile(r"\s*(?:->|=>|→|⇒|==>)\s*|\s+(?:prints|outputs|gives|produces|returns|shows|==)\s+(?=\S)")
_EXIT_TAIL: Final = re.compile(
    r"[,;]?\s*\(?(?:and )?(?:with )?exits? ?(?:with )?(?:code |status )?(?:code )?(?P<code>\d{1,3})\)?$", re.IGNORECASE
)
_WRITES: Final = re.compile(
    r"open\([^)\n]*[\"'][wax]b?\+?[\"']|\.write_(?:text|bytes)\(|sqlite3|shelve|pickle\.dump|json\.dump\(|dbm\b"
)


def read_line_example(
    text: str, programs: Programs, files: Collection[str], *, trusted: bool, origin: Origin
) -> Told | str | None:
    """The run that a line tells of, or why it is not tried; None where it tells of none.

    Args:
        text: the line; what stands behind the arrow may go on below.
        programs: of the ticket.
        files: of the workspace.
        trusted: an entry of `examples`: what stands behind the arrow is the output whatever it looks like.
        origin: where the line stands.
    """
    for link in _ARROW.finditer(text.partition("\n")[0]):
        command = read_command(text[: link.start()].strip().strip("`").removeprefix("$ "), programs, files)
        if isinstance(command, Command):
            return _compared(command, text[link.end() :].strip(), text, trusted=trusted, origin=origin)
        if command is not None:
            return command
    command = read_command(text, programs, files)
    if isinstance(command, Command) and command.comment:
        shown = re.sub(r"^(?:->|=>|→|prints:?|outputs?:?)\s*", "", command.comment)
        return _compared(command, shown, text, trusted=False, origin=origin)
    return None


def _compared(command: Command, value: str, text: str, *, trusted: bool, origin: Origin) -> Told | str:
    checks = list[str]()
    if (hit := _EXIT_TAIL.search(value)) is not None:
        checks.append(f"done.returncode == {int(hit['code'])}")
        value = value[: hit.start()].strip()
    quoted = re.fullmatch(r"`([^`]*)`|\"([^\"]*)\"|'([^']*)'", value)
    shown = next(one for one in quoted.groups() if one is not None) if quoted else value
    if why := fault(command, [shown], alone=True):
        return why
    if value and not (trusted or quoted or _is_data(value, command)):
        return f"`{command.text[:60]}`: write what it prints in backticks: {value[:60]!r}"
    if value:
        checks.append(equals("done.stdout", value if quoted is None or value[0] == '"' else shown, ""))
    run = Run(command=command, checks=tuple(checks))
    return Told(steps=(run,), quote=text, origin=origin, label="example", detail=text)


def _is_data(value: str, command: Command) -> bool:
    """Whether a text without quotes is an output, and no description of one."""
    given = " ".join([*command.arguments, *command.texts]).lower()
    return all(word in given for word in re.findall(r"\b[a-z]{2,}\b", value))


def fault(command: Command, shown: list[str], *, alone: bool) -> str:
    """Why an output cannot be held against the program; empty where it can."""
    given = " ".join([*command.arguments, *command.texts])
    for text in shown:
        if not command.files and (what := changing(text, given)):
            return f"`{command.text[:60]}` shows {what}, which may differ from run to run"
        if is_usage([line for lines in readings(text) for line in lines]):
            return f"`{command.text[:60]}`: argparse's words differ between versions of Python; say `prints usage`"
        if alone and (what := _of_earlier(command, text)):
            return f"`{command.text[:60]}` shows {what!r}, perhaps left by an earlier command: write both as a session"
    return ""


def _of_earlier(command: Command, shown: str) -> str:
    """The word of an output that only an earlier run can have put there; empty where there is none."""
    if not _WRITES.search(command.program.source) or command.files or command.inputs:
        return ""
    given, known = " ".join(command.arguments).lower(), command.program.source.lower()
    for word in re.findall(r"\w+", shown.lower()):
        counted = word.isdecimal() and (word == "0" or re.search(r"\d", given))
        if word not in given and not counted and (word.isdecimal() or word not in known):
            return str(word)
    return ""
