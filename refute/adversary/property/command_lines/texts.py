"""What a text tells of runs: its sessions, blocks below "prints:", lines with an arrow, sentences."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from refute.adversary.attack import Origin
from refute.adversary.property.command_lines.command import Command, read_command
from refute.adversary.property.command_lines.conditions import Known
from refute.adversary.property.command_lines.programs import Programs
from refute.adversary.property.command_lines.sessions import SessionReader
from refute.adversary.property.command_lines.stated import SentenceReader
from refute.adversary.property.command_lines.steps import Run, Told
from refute.adversary.property.command_lines.transcripts import (
    Exchange,
    Transcript,
    blank_out,
    fenced_bodies,
    read_transcripts,
)
from refute.adversary.property.sentences import sentences

_BLOCK_BELOW: Final = re.compile(
    r"^(?P<lead>[^\n]*`(?P<command>[^`\n]+)`[^\n`.]*\b(?:prints?|outputs?|shows?|gives?|displays?|produces?|writes?)"
    r"(?: exactly| this| the following)?:?)[ \t]*\n(?:[ \t]*\n)*"
    r"(?:(?P<fence>[ \t]*`{3}[^\n]*\n(?P<fenced>.*?)^[ \t]*`{3}[ \t]*$)"
    r"|(?P<indented>(?:(?: {2,}|\t)[^\n]*(?:\n|\Z))+))",
    re.MULTILINE | re.DOTALL,
)
_CIRCUMSTANCE: Final = re.compile(r"\b(?:if|when|unless|after|once|with|without|may|might|not)\b", re.IGNORECASE)
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

    def __init__(self, programs: Programs, files: Collection[str], known: Known) -> None:
        self._programs = programs
        self._files = files
        self._sentences = SentenceReader(programs, files, known)

    def understands(self, sentence: str, claim_text: str) -> bool:
        """Whether a sentence says what some run does."""
        return bool(self._sentences.sentence(sentence, claim_text).told)

    def example(self, text: str, claim_text: str) -> Iterator[Found]:
        """What an entry of a claim's `examples` tells."""
        prompted = re.match(r"\s*[$%] ", text) is not None
        line = None if prompted else self._sentences.line(text, trusted=True, origin=Origin.AUTHOR_EXAMPLE)
        if prompted or ("\n" in text.strip() and not isinstance(line, Told)):
            found = list(self.sessions(text if prompted else f"$ {text.lstrip()}", Origin.AUTHOR_EXAMPLE))
            yield from found or [Found(reasons=[f"the example {text[:60]!r} is no session of the ticket's programs"])]
            return
        if isinstance(line, Told):
            yield _of_line(line)
            return
        read = self._sentences.sentence(text, claim_text)
        told = [
            replace(one, quote=text, origin=Origin.AUTHOR_EXAMPLE, label="example", detail=text) for one in read.told
        ]
        unread = f"the example {text[:60]!r} is no command with what it prints or how it exits"
        reason = line or next(filter(None, read.reasons), unread)
        yield Found(told=told, reasons=[] if told else [reason], commands=list(read.commands))

    def text(self, text: str, origin: Origin) -> Iterator[Found]:
        """What a claim's text tells."""
        for hit in _BLOCK_BELOW.finditer(text):
            block = self._block(hit, origin)
            if block is not None:
                yield block
                text = text[: hit.start()] + re.sub(r"[^\n]", " ", hit[0]) + text[hit.end() :]
        yield from self.sessions(text, origin)
        left = blank_out(text)
        for hit in _ARROW_IN_CODE.finditer(left):
            read = self._sentences.line(hit["code"], trusted=False, origin=origin)
            if isinstance(read, Told):
                yield _of_line(read)
        yield from self.lines("\n".join([left, *fenced_bodies(text)]), origin)
        for sentence in sentences(self._without_lines(left)):
            reading = self._sentences.sentence(sentence.verbatim, text)
            yield Found(told=list(reading.told), reasons=list(reading.reasons), commands=list(reading.commands))

    def lines(self, text: str, origin: Origin) -> Iterator[Found]:
        """What lines tell that stand for themselves: `COMMAND -> OUTPUT`."""
        for line in text.splitlines():
            read = self._line(line, origin)
            if read is not None:
                yield _of_line(read)

    def _line(self, line: str, origin: Origin) -> Told | None:
        text = _BULLET.sub("", line).strip()
        read = self._sentences.line(text, trusted=False, origin=origin) if text and "`" not in text else None
        return read if isinstance(read, Told) else None

    def _without_lines(self, text: str) -> str:
        return "\n".join("" if self._line(line, Origin.CLAIM_EXAMPLE) else line for line in text.splitlines())

    def _block(self, hit: re.Match[str], origin: Origin) -> Found | None:
        """The output that stands below "`command` prints:"."""
        command = read_command(hit["command"], self._programs, self._files)
        before = hit["lead"].partition("`")[0]
        if not isinstance(command, Command) or _CIRCUMSTANCE.search(before):
            return None
        lines = (hit["fenced"] if hit["fence"] else hit["indented"]).expandtabs(4).strip("\n").splitlines()
        depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        shown = tuple(line[depth:].rstrip() for line in lines)
        reader = SessionReader(self._programs, self._files)
        transcript = Transcript(exchanges=(Exchange(command=hit["command"], shown=shown),), start=0, end=0)
        steps, quote = reader.steps(transcript), hit["lead"].strip()
        told = Told(steps=steps, quote=quote, origin=origin, label="example", detail=hit["command"])
        return Found(told=[told] if told.checks else [], reasons=reader.notes, commands=reader.commands)

    def sessions(self, text: str, origin: Origin) -> Iterator[Found]:
        """What console sessions tell."""
        for transcript in [*read_transcripts(text), *self._without_prompts(text)]:
            reader = SessionReader(self._programs, self._files)
            steps = reader.steps(transcript)
            detail = "\n".join(f"$ {one.command}" for one in transcript.exchanges[:6])
            quote = transcript.exchanges[0].command
            told = Told(steps=steps, quote=quote, origin=origin, label="session", detail=detail)
            yield Found(told=[told] if steps else [], reasons=reader.notes, commands=reader.commands)

    def _without_prompts(self, text: str) -> Iterator[Transcript]:
        """Fences in which a command stands bare, with its output below."""
        for body in fenced_bodies(text):
            exchanges: list[Exchange] = []
            for line in body.strip("\n").splitlines():
                if isinstance(read_command(line, self._programs, self._files), Command):
                    exchanges.append(Exchange(command=line, shown=()))
                elif exchanges:
                    last = exchanges[-1]
                    exchanges[-1] = Exchange(command=last.command, shown=(*last.shown, line))
                else:
                    break
            if any(one.shown for one in exchanges):
                yield Transcript(exchanges=tuple(exchanges), start=0, end=0)


def _of_line(told: Told) -> Found:
    return Found(told=[told], commands=[step.command for step in told.steps if isinstance(step, Run)])
