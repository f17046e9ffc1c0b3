"""Sentences that say what a run does: "`tool.py add 2 3` prints `5`", "unknown options exit with 2". By the table."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from refute.adversary.attack import Origin
from refute.adversary.property.command_lines.command import Command, read_command
from refute.adversary.property.command_lines.lines import fault
from refute.adversary.property.command_lines.programs import Program, Programs
from refute.adversary.property.command_lines.steps import Run, Told
from refute.adversary.property.command_lines.table import compiled, group, says_rows, table
from refute.adversary.property.command_lines.values import equals, holds

_SPAN: Final = re.compile(r"`([^`\n]+)`|(?<![\w\"])\"([^\"\n]*)\"(?!\w)|(?<![\w'])'([^'\n]*)'(?!\w)")
_COMMAND: Final = "[\uf000-\uf7ff]"
_VALUE_BEFORE: Final = re.compile(
    r"\b(?:prints?|outputs?|shows?|gives?|mentions?|contains?|includes?|says|saying|naming|file|message)\s*$|(?:->|=>|→)\s*$",
    re.IGNORECASE,
)
_POSITIONAL: Final = re.compile(r"""add_argument\(\s*["'](?P<name>[a-z]\w*)["']""")
_FILE_NAME: Final = re.compile(r"file|path|input|source|src|csv|json|log")
_HOW: Final = "the sentence around it is not understood; write: `command` prints `output` and exits 0"


@dataclass(slots=True, kw_only=True)
class _Masked:
    """A sentence in which signs stand for commands, circumstances and values."""

    text: str = ""
    values: list[str] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    general: set[int] = field(default_factory=set)
    """Numbers of commands that a circumstance stands for."""
    reasons: list[str] = field(default_factory=list)

    def command(self, command: Command, *, general: bool = False) -> str:
        """The sign for a command."""
        self.commands.append(command)
        if general:
            self.general.add(len(self.commands) - 1)
        return chr(0xF000 + len(self.commands) - 1)

    def value(self, text: str) -> str:
        """The sign for a value."""
        self.values.append(text)
        return chr(0xE000 + len(self.values) - 1)

    def meant(self, sign: str) -> str:
        """The text of a sign, or of a bare number."""
        return self.values[ord(sign) - 0xE000] if "\ue000" <= sign <= "\uefff" else sign


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was understood of one sentence."""

    told: tuple[Told, ...]
    reasons: tuple[str, ...]
    commands: tuple[Command, ...]
    """Commands that are written out."""


class StatementReader:
    """Reads the sentences of one ticket.

    Args:
        programs: of the ticket.
        files: of the workspace.
        known: commands that the ticket writes out, from which circumstances are made.
    """

    def __init__(self, programs: Programs, files: Collection[str], known: list[Command]) -> None:
        self._programs = programs
        self._files = files
        self._known = known

    def read(self, verbatim: str, claim_text: str) -> Reading:
        """What a sentence says of runs."""
        masked = self._masked(verbatim)
        found = [one for part in masked.text.split(";") for one in self._part(masked, part.strip(), claim_text)]
        told = [one for one in found if isinstance(one, Told)]
        reasons = [*masked.reasons, *(one for one in found if isinstance(one, str))]
        written = tuple(one for index, one in enumerate(masked.commands) if index not in masked.general)
        if written and not told and not reasons:
            reasons.append(f"`{written[0].text[:60]}`: {_HOW}")
        quoted = told if len(told) != 1 else [told[0].quoting(verbatim)]
        return Reading(told=tuple(quoted), reasons=tuple(reasons), commands=written)

    def _masked(self, verbatim: str) -> _Masked:
        masked = _Masked()
        position = 0
        for hit in _SPAN.finditer(verbatim):
            masked.text += verbatim[position : hit.start()]
            text = next(one for one in hit.groups() if one is not None)
            command = None if _VALUE_BEFORE.search(masked.text) or hit[0][0] != "`" else self._command(text)
            masked.reasons += [command] if isinstance(command, str) else []
            masked.text += masked.command(command) if isinstance(command, Command) else masked.value(text)
            position = hit.end()
        masked.text = " ".join((masked.text + verbatim[position:]).split()).rstrip(".")
        program = self._programs.only
        for row in table()["circumstance"] if program is not None else ():
            hits = compiled(rf"(?<!\w)(?:{row['pattern']})(?!\w)")
            command = self._circumstance(row["name"], program) if program and hits.search(masked.text) else None
            if command is not None:
                masked.text = hits.sub(masked.command(command, general=True), masked.text)
        for index, command in enumerate(masked.commands if masked.general else ()):
            if index not in masked.general and not command.arguments and not command.inputs:
                masked.text = masked.text.replace(chr(0xF000 + index), "it")  # the program in that circumstance
        return masked

    def _command(self, text: str) -> Command | str | None:
        """A command, or a lone option of the only program."""
        program = self._programs.only
        if program is not None and re.fullmatch(r"-{1,2}[A-Za-z][\w-]*", text):
            return Command(program=program, launch=program.launch, arguments=(text,), text=f"{program.path} {text}")
        return read_command(text, self._programs, self._files)

    def _circumstance(self, name: str, program: Program) -> Command | None:
        """The run that stands for a circumstance; None where nobody shows how the program is given its input."""
        bare = Command(program=program, launch=program.launch, text=program.path)
        known = [command for command in self._known if command.program == program]
        match name:
            case "no arguments":
                return bare
            case "unknown option":
                return bare.with_arguments(["--no-such-option"])
            case "unknown command":
                words = [one.arguments[1:] for one in known if one.arguments and one.arguments[0].isalpha()]
                return bare.with_arguments(["no-such-command", *(words[0] if words else ())])
            case "missing file":
                return _missing_file(bare, known)
            case _:
                ways = {command.arguments for command in known if command.inputs}
                return bare.with_arguments(next(iter(ways))).reading("") if len(ways) == 1 else None

    def _part(self, masked: _Masked, part: str, claim_text: str) -> Iterator[Told | str]:
        """What the part of a sentence before or behind a semicolon says."""
        first, *rest = re.split(rf"(?={_COMMAND})", part)
        if not rest:
            return
        if (
            len(rest) == 1
            and len(rest[0]) == 1
            and (hit := compiled("(?P<said>.+?){{before_command}}").fullmatch(first))
        ):
            yield self._said(masked, ord(rest[0]) - 0xF000, hit["said"], claim_text)
            return
        if not compiled("{{lead}}").fullmatch(first):
            return
        for segment in rest:
            yield self._said(masked, ord(segment[0]) - 0xF000, segment[1:], claim_text)

    def _said(self, masked: _Masked, number: int, tail: str, claim_text: str) -> Told | str:
        """The test of one command, where all that is said of it is understood."""
        command, hits, rest = masked.commands[number], list[tuple[int, re.Match[str]]](), tail
        while rest := compiled("^{{between}}").sub("", rest):
            found = [(index, hit) for index, row in enumerate(says_rows()) if (hit := row.pattern.match(rest))]
            if not found:
                return f"of `{command.text[:60]}` it is not understood what is said: {_plain(rest)[:80]!r}"
            index, hit = found[0]
            hits.append((index, hit))
            rest = rest[hit.end() :]
        if not hits:
            return f"`{command.text[:60]}`: {_HOW}"
        checks, shown = _checks(masked, hits, claim_text, merged=command.merged)
        if why := fault(command, shown, alone=True):
            return why
        general = number in masked.general
        return Told(
            steps=(Run(command=command, checks=tuple(dict.fromkeys(checks))),),
            quote=command.text if not general else _plain(tail),
            origin=Origin.PHRASE if general or not shown else Origin.CLAIM_EXAMPLE,
            label="circumstance" if general else "command line",
            detail=f"runs {command.program.path}" + ("" if general else f" as: {command.text}"),
        )


def _checks(
    masked: _Masked, hits: list[tuple[int, re.Match[str]]], claim_text: str, *, merged: bool
) -> tuple[list[str], list[str]]:
    """Conditions on `done`, and the outputs that are given in full."""
    codes = [int(code) for _, hit in hits if (code := group(hit, "code"))]
    fails = any(codes) or any(says_rows()[index].name == "fails" for index, _ in hits)
    checks, shown = list[str](), list[str]()
    for index, hit in hits:
        row, value = says_rows()[index], group(hit, "v")
        named = group(hit, "to")
        kind = ("err" if "err" in named.lower() else "out") if named else "any" if fails else row.stream
        streams = {"out": "done.stdout", "err": "done.stderr", "any": "(done.stdout + done.stderr)"}
        stream = "done.stdout" if merged else streams[kind]
        if row.check:
            checks.append(row.check.format(code=group(hit, "code"), stream=stream))
        text = masked.meant(value) if value else ""
        if value and row.compare == "file":
            checks.append(f"pathlib.Path(folder, {text!r}).is_file()")
        elif value and row.compare == "equals" and kind == "out":
            shown.append(text)
            checks.append(equals(stream, text, claim_text))
        elif value:  # a program puts its name before an error, and its usage before that
            shown += [text] if row.compare == "equals" else []
            checks.append(holds(stream, text))
    return checks, shown


def _missing_file(bare: Command, known: list[Command]) -> Command | None:
    """A command of the ticket whose file is exchanged for one that is not there."""
    for command in known:
        named = [word for word in command.arguments if word in command.files]
        if len(named) == 1 and not command.inputs:
            ending = named[0].rpartition("/")[2].partition(".")
            other = f"no-such-file{ending[1]}{ending[2]}"
            return command.with_arguments([other if word == named[0] else word for word in command.arguments])
    places = _POSITIONAL.findall(bare.program.source)
    only = len(places) == 1 and _FILE_NAME.search(places[0]) and "add_parser" not in bare.program.source
    return bare.with_arguments(["no-such-file.txt"]) if only else None


def _plain(text: str) -> str:
    return re.sub("[\ue000-\uf8ff]", "`…`", text).strip()
