"""What a ticket says about its programs, as drafts of tests: `run` fields, sessions, `COMMAND -> OUTPUT`."""

import re
from collections.abc import Iterator
from typing import Final

from refute.adversary.attack import Brief, Origin
from refute.adversary.property.command_lines.programs import Command, programs_of, read_command
from refute.adversary.property.command_lines.runs import (
    Step,
    changing,
    exits,
    invocation,
    run_test,
    session_draft,
    shows,
)
from refute.adversary.property.command_lines.sessions import read_sessions, steps_of
from refute.adversary.property.draft import Draft, Note
from refute.ticket.record import Claim

_LINK: Final = re.compile(r"`?\s*(?:->|=>|→|⇒)\s*|`?\s+prints\s+|(?=`?,?\s+(?:and\s+)?exits\s)")
_EXITS: Final = re.compile(r"`?,?\s*(?:and )?exits (?:with )?(?:status |code |exit code )?(?P<code>\d{1,3})\.?$")
_IN_CODE: Final = re.compile(r"`([^`\n]+? (?:->|=>|→|⇒) [^`\n]+)`")
_QUOTED: Final = re.compile(r"`([^`]*)`\.?|\"([^\"]*)\"|'([^']*)'")
_BULLET: Final = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


def command_line_tests(brief: Brief) -> Iterator[Draft | Note]:
    """Every test that can be made of what the ticket says about its programs."""
    reader = _Reader(brief)
    for claim in brief.ticket.claims:
        yield from reader.claim(claim)


class _Reader:
    """Reads one ticket."""

    def __init__(self, brief: Brief) -> None:
        self._programs = programs_of(brief)
        self._files = frozenset(brief.workspace_paths)

    def claim(self, claim: Claim) -> Iterator[Draft | Note]:
        """Tests for a claim's fields, and for the examples and sessions in its text."""
        if claim.run is not None:
            yield run_test(claim, claim.run, self._programs)
        for example in claim.examples:
            in_session = re.match(r"\s*[$%] ", example)
            made = [] if in_session else [*self._line(claim, example, Origin.AUTHOR_EXAMPLE, trusted=True)]
            made += self._text(claim, example, Origin.AUTHOR_EXAMPLE) if in_session else []
            if not any(isinstance(one, Draft) for one in made):
                unread = f"the example {example[:60]!r} is no command with what it prints or how it exits"
                reason = next((one.reason for one in made if isinstance(one, Note)), unread)
                made = [Note(claim=claim, reason=reason, field=f"the example {example[:60]!r}")]
            yield from made
        yield from self._text(claim, claim.text, Origin.CLAIM_EXAMPLE)
        _, text = read_sessions(claim.text)
        for written in _IN_CODE.findall(text):
            yield from self._line(claim, written, Origin.CLAIM_EXAMPLE, trusted=True)
        for sentence in re.split(r"(?<=[.;])\s+|\n", text):
            if sentence.startswith("`"):
                yield from self._line(claim, sentence, Origin.CLAIM_EXAMPLE, trusted=False)

    def _text(self, claim: Claim, text: str, origin: Origin) -> Iterator[Draft | Note]:
        """Sessions, and lines that stand for themselves."""
        sessions, rest = read_sessions(text)
        for session in sessions:
            steps, notes = steps_of(session, self._programs, self._files)
            if any(step.command for step in steps):
                yield session_draft(claim, steps, quote=session[0].command, origin=origin, label="session")
            yield from (Note(claim=claim, reason=reason) for reason in notes)
        for line in rest.splitlines():
            if "`" not in line:
                yield from self._line(claim, _BULLET.sub("", line).strip(), origin, trusted=False)

    def _line(self, claim: Claim, text: str, origin: Origin, *, trusted: bool) -> Iterator[Draft | Note]:
        """`COMMAND -> OUTPUT`, `COMMAND exits 2`; nothing where it is nothing like that."""
        for link in _LINK.finditer(text.partition("\n")[0]):
            command = read_command(text[: link.start()].strip("` ").removeprefix("$ "), self._programs, self._files)
            made = _tested(command, text[link.end() :].strip(), text, trusted=trusted)
            if isinstance(made, str):
                yield Note(claim=claim, reason=made)
            elif made is not None:
                yield session_draft(claim, [made], quote=text, origin=origin, label="example")
            if made is not None:
                return


def _tested(command: Command | str | None, value: str, text: str, *, trusted: bool) -> Step | str | None:
    """One command with what is said to come of it; why it is not tested; None where nothing is said."""
    checks = list[str]()
    if (hit := _EXITS.search(value)) is not None:
        checks.append(exits(int(hit["code"])))
        value = value[: hit.start()] + "`" * (hit[0].startswith("`") and bool(value[: hit.start()]))
    if not isinstance(command, Command) or not (checks or value):
        return command if isinstance(command, str) else None
    quoted = _QUOTED.fullmatch(value)
    shown = next(one for one in quoted.groups() if one is not None) if quoted else value
    foreign = [one for one in re.findall(r"\b[a-z]{2,}\b", value) if one not in command.given.lower()]
    if foreign and not (trusted or quoted):
        return f"`{text[:60]}`: write what it prints in backticks"
    if why := changing(shown, command):
        return f"`{text[:60]}` {why}"
    checks += [shows("out", shown)] if value else []
    return Step(lines=invocation(command), checks=tuple(checks), command=command)
