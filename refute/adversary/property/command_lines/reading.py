"""What a ticket says about its programs, as drafts of tests: `run` fields, sessions, `COMMAND -> OUTPUT`."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from refute.adversary.attack import Brief, Origin
from refute.adversary.property.command_lines.command import Command, read_command
from refute.adversary.property.command_lines.programs import programs_of
from refute.adversary.property.command_lines.runs import Step, changing, invocation, run_test, session_draft, shows
from refute.adversary.property.command_lines.sessions import SessionReader
from refute.adversary.property.command_lines.transcripts import blank_out, read_transcripts
from refute.adversary.property.draft import Draft, Note
from refute.adversary.property.sentences import sentences
from refute.python_syntax import parsed_or_none
from refute.ticket.record import Claim

_LINK: Final = re.compile(r"\s*(?:->|=>|→|⇒)\s*|\s+prints\s+|(?=,?\s+(?:and\s+)?exits\s)")
_EXITS: Final = re.compile(r",?\s*(?:and )?exits (?:with )?(?:status |code |exit code )?(?P<code>\d{1,3})\.?$")
_SAID: Final = re.compile(
    r"`(?P<command>[^`]+)`,? (?:(?:prints|->|=>|→) `(?P<shown>[^`]*)`)?(?P<exits>,?(?: ?and)? ?exits .*)?"
)
"""A whole sentence: `COMMAND` prints `OUTPUT` and exits N."""
_IN_CODE: Final = re.compile(r"`(?P<code>[^`\n]+? (?:->|=>|→|⇒) [^`\n]+)`")
_BULLET: Final = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_OF_DOCUMENTATION: Final = re.compile(r"\b(?:doc-?strings?|documented|examples?|sessions?|as shown)\b", re.IGNORECASE)


def command_line_tests(brief: Brief) -> Iterator[Draft | Note]:
    """Every test that can be made of what the ticket says about its programs."""
    reader = _Reader(brief)
    for claim in brief.ticket.claims:
        yield from reader.claim(claim)
    yield from reader.docstrings()


class _Reader:
    """Reads one ticket."""

    def __init__(self, brief: Brief) -> None:
        self._claims = brief.ticket.claims
        self._programs = programs_of(brief)
        self._files = frozenset(brief.workspace_paths)

    def claim(self, claim: Claim) -> Iterator[Draft | Note]:
        """Tests for a claim's fields, and for the examples and sessions in its text."""
        if claim.run is not None:
            yield run_test(claim, claim.run, self._programs)
        for example in claim.examples:
            yield from self._example(claim, example)
        yield from self._sessions(claim, claim.text, Origin.CLAIM_EXAMPLE)
        text = blank_out(claim.text)
        yield from self._lines(claim, text, Origin.CLAIM_EXAMPLE)
        for hit in _IN_CODE.finditer(text):
            if made := self._line(claim, hit["code"], Origin.CLAIM_EXAMPLE, trusted=True):
                yield made
        for sentence in sentences(text):
            if made := self._said(claim, sentence.verbatim.strip().rstrip(".")):
                yield made

    def docstrings(self) -> Iterator[Draft | Note]:
        """Tests for the sessions and lines in a program's own docstring, where a claim speaks of them."""
        for program in self._programs.all:
            tree = parsed_or_none(program.source)
            text = (ast.get_docstring(tree) if tree else None) or ""
            if (owner := self._owner(text)) is not None:
                yield from self._sessions(owner, text, Origin.DOCSTRING_EXAMPLE)
                yield from self._lines(owner, blank_out(text), Origin.DOCSTRING_EXAMPLE)

    def _owner(self, text: str) -> Claim | None:
        """The claim that a docstring belongs to: on documentation, or the only one."""
        spoken = next((claim for claim in self._claims if _OF_DOCUMENTATION.search(claim.text)), None)
        return spoken or (self._claims[0] if len(self._claims) == 1 and text else None)

    def _example(self, claim: Claim, text: str) -> Iterator[Draft | Note]:
        """An entry of `examples`."""
        if re.match(r"\s*[$%] ", text):
            made = list(self._sessions(claim, text, Origin.AUTHOR_EXAMPLE))
        else:
            line = self._line(claim, text, Origin.AUTHOR_EXAMPLE, trusted=True)
            made = [line] if line else []
        unread = f"the example {text[:60]!r} is no command with what it prints or how it exits"
        yield from made or [Note(claim=claim, reason=unread)]

    def _sessions(self, claim: Claim, text: str, origin: Origin) -> Iterator[Draft | Note]:
        for transcript in read_transcripts(text):
            reader = SessionReader(self._programs, self._files)
            steps = reader.steps(transcript)
            quote = transcript.exchanges[0].command
            if any(step.command for step in steps):
                yield session_draft(claim, steps, quote=quote, origin=origin, label="session")
            yield from (Note(claim=claim, reason=reason) for reason in reader.notes)

    def _lines(self, claim: Claim, text: str, origin: Origin) -> Iterator[Draft | Note]:
        """Lines that stand for themselves."""
        for line in text.splitlines():
            written = _BULLET.sub("", line).strip()
            if "`" not in written and (made := self._line(claim, written, origin, trusted=False)):
                yield made

    def _line(self, claim: Claim, text: str, origin: Origin, *, trusted: bool) -> Draft | Note | None:
        """`COMMAND -> OUTPUT`, `COMMAND exits 2`; None where it is nothing like that."""
        for link in _LINK.finditer(text.partition("\n")[0]):
            command = read_command(text[: link.start()].strip().removeprefix("$ "), self._programs, self._files)
            if isinstance(command, Command):
                return self._compared(claim, command, text[link.end() :].strip(), text, (origin, trusted))
            if command is not None:
                return Note(claim=claim, reason=command)
        return None

    def _said(self, claim: Claim, text: str) -> Draft | Note | None:
        hit = _SAID.fullmatch(text)
        command = read_command(hit["command"], self._programs, self._files) if hit else None
        if hit is None or command is None or (hit["shown"] is None and hit["exits"] is None):
            return None
        if isinstance(command, str):
            return Note(claim=claim, reason=command)
        shown = f"`{hit['shown']}`" if hit["shown"] is not None else ""
        return self._compared(claim, command, shown + (hit["exits"] or ""), text, (Origin.CLAIM_EXAMPLE, True))

    @staticmethod
    def _compared(claim: Claim, command: Command, value: str, text: str, how: tuple[Origin, bool]) -> Draft | Note:
        origin, trusted = how
        checks = list[str]()
        if (hit := _EXITS.search(value)) is not None:
            checks.append(f"done.returncode == {int(hit['code'])}")
            value = value[: hit.start()].strip()
        quoted = re.fullmatch(r"`([^`]*)`|\"([^\"]*)\"|'([^']*)'", value)
        shown = next(one for one in quoted.groups() if one is not None) if quoted else value
        words = re.findall(r"\b[a-z]{2,}\b", value)
        if not (trusted or quoted or all(word in command.given.lower() for word in words)):
            return Note(claim=claim, reason=f"`{text[:60]}`: write what it prints in backticks")
        if why := changing(shown, command):
            return Note(claim=claim, reason=f"`{text[:60]}` {why}")
        if value:
            checks.append(shows("done.stdout", shown))
        step = Step(lines=(invocation(command),), checks=tuple(checks), command=command)
        return session_draft(claim, [step], quote=text, origin=origin, label="example")
