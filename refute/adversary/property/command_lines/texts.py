"""What a text tells of runs: its sessions, blocks below "prints:", lines with an arrow, sentences."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from refute.adversary.attack import Origin
from refute.adversary.property.command_lines.command import Command
from refute.adversary.property.command_lines.lines import read_line_example
from refute.adversary.property.command_lines.programs import Programs
from refute.adversary.property.command_lines.sessions import SessionReader
from refute.adversary.property.command_lines.statements import StatementReader
from refute.adversary.property.command_lines.steps import Run, Told
from refute.adversary.property.command_lines.transcripts import (
    blank_out,
    fenced_bodies,
    read_transcripts,
)
from refute.adversary.property.sentences import sentences

_ARROW_IN_CODE: Final = re.compile(r"`(?P<code>[^`\n]+? (?:->|=>|→|⇒) [^`\n]+)`")
_BULLET: Final = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


@dataclass(slots=True, kw_only=True)
class Found:
    """What one piece of a text gave."""

    told: list[Told] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)


class TextReader:
    """Reads texts of one ticket.

    Args:
        programs: of the ticket.
        files: of the workspace.
        known: commands that the ticket writes out.
    """

    def __init__(self, programs: Programs, files: Collection[str], known: list[Command]) -> None:
        self._programs = programs
        self._files = files
        self._statements = StatementReader(programs, files, known)

    def example(self, text: str, claim_text: str) -> Iterator[Found]:
        """What an entry of a claim's `examples` tells."""
        prompted = re.match(r"\s*[$%] ", text) is not None
        line = None if prompted else self._line(text, Origin.AUTHOR_EXAMPLE, trusted=True)
        if prompted or ("\n" in text.strip() and not isinstance(line, Told)):
            found = list(self.sessions(text if prompted else f"$ {text.lstrip()}", Origin.AUTHOR_EXAMPLE))
            yield from found or [Found(reasons=[f"the example {text[:60]!r} is no session of the ticket's programs"])]
            return
        if isinstance(line, Told):
            yield _of_line(line)
            return
        read = self._statements.read(text, claim_text)
        told = [
            replace(one, quote=text, origin=Origin.AUTHOR_EXAMPLE, label="example", detail=text) for one in read.told
        ]
        unread = f"the example {text[:60]!r} is no command with what it prints or how it exits"
        reason = line or next(filter(None, read.reasons), unread)
        yield Found(told=told, reasons=[] if told else [reason], commands=list(read.commands))

    def text(self, text: str, origin: Origin) -> Iterator[Found]:
        """What a claim's text tells."""
        yield from self.sessions(text, origin)
        left = blank_out(text)
        for hit in _ARROW_IN_CODE.finditer(left):
            read = self._line(hit["code"], origin)
            if isinstance(read, Told):
                yield _of_line(read)
        yield from self.lines("\n".join([left, *fenced_bodies(text)]), origin)
        for sentence in sentences(self._without_lines(left)):
            reading = self._statements.read(sentence.verbatim, text)
            yield Found(told=list(reading.told), reasons=list(reading.reasons), commands=list(reading.commands))

    def lines(self, text: str, origin: Origin) -> Iterator[Found]:
        """What lines tell that stand for themselves: `COMMAND -> OUTPUT`."""
        for line in text.splitlines():
            if (read := self._told(line, origin)) is not None:
                yield _of_line(read)

    def _line(self, text: str, origin: Origin, *, trusted: bool = False) -> Told | str | None:
        return read_line_example(text, self._programs, self._files, trusted=trusted, origin=origin)

    def _told(self, line: str, origin: Origin) -> Told | None:
        text = _BULLET.sub("", line).strip()
        read = self._line(text, origin) if text and "`" not in text else None
        return read if isinstance(read, Told) else None

    def _without_lines(self, text: str) -> str:
        return "\n".join("" if self._told(line, Origin.CLAIM_EXAMPLE) else line for line in text.splitlines())

    def sessions(self, text: str, origin: Origin) -> Iterator[Found]:
        """What console sessions tell."""
        for transcript in read_transcripts(text):
            reader = SessionReader(self._programs, self._files)
            steps = reader.steps(transcript)
            detail = "\n".join(f"$ {one.command}" for one in transcript.exchanges[:6])
            quote = transcript.exchanges[0].command
            told = Told(steps=steps, quote=quote, origin=origin, label="session", detail=detail)
            yield Found(told=[told] if steps else [], reasons=reader.notes, commands=reader.commands)


def _of_line(told: Told) -> Found:
    return Found(told=[told], commands=[step.command for step in told.steps if isinstance(step, Run)])
