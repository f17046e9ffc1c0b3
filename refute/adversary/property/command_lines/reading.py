"""Everything that a ticket's claims and docstrings say about command lines, as drafts of tests."""

import ast
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from refute.adversary.attack import Brief, Origin
from refute.adversary.property.command_lines.command import Command
from refute.adversary.property.command_lines.conditions import Known
from refute.adversary.property.command_lines.programs import Programs, programs_of
from refute.adversary.property.command_lines.promises import promise_tests
from refute.adversary.property.command_lines.sessions import SessionReader
from refute.adversary.property.command_lines.stated import SentenceReader
from refute.adversary.property.command_lines.steps import Run, Told, draft_of
from refute.adversary.property.command_lines.transcripts import (
    Exchange,
    Transcript,
    blank_out,
    fenced_bodies,
    read_transcripts,
)
from refute.adversary.property.draft import Draft, Note
from refute.adversary.property.sections import sentences
from refute.python_syntax import parse_python
from refute.ticket.record import Claim

NOT_FOUND: Final = (
    "it holds no command with what it prints or how it exits: write `python tool.py add 2 3` prints `5`, "
    "or an example such as `python tool.py add 2 3 -> 5`"
)
_OF_DOCUMENTATION: Final = re.compile(
    r"\b(?:doc-?strings?|documented|documentation|(?:its|the|all|every|shown|usage) examples?|read-?me|sessions?"
    r"|as shown)\b",
    re.IGNORECASE,
)
_WAITS: Final = re.compile(r"\bisatty\s*\(")
_BLOCK_NOTE: Final = (
    "its property block is Python about importable code; a program is attacked through examples and its text"
)


def command_line_tests(brief: Brief) -> Iterator[Draft | Note]:
    """Every test that can be made of what the ticket says about its programs."""
    reader = _Reader(brief)
    for claim in brief.ticket.claims:
        reader.learn(claim)
    for claim in brief.ticket.claims:
        yield from reader.examples(claim)
        yield from reader.text(claim)
        if claim.property is not None:
            yield Note(claim=claim, reason=_BLOCK_NOTE)
    yield from reader.docstrings()


class _Reader:
    """Reads one ticket."""

    def __init__(self, brief: Brief) -> None:
        self._brief = brief
        self._programs: Programs = programs_of(brief)
        self._files = frozenset(brief.workspace_paths)
        self._known = Known()

    def learn(self, claim: Claim) -> None:
        """Note the commands that a claim writes out, since circumstances of other claims are made from them."""
        for _, _, commands in [*self._examples(claim), *self._told(claim.text, claim.text, Origin.CLAIM_EXAMPLE)]:
            fit = [one for one in commands if self._files.issuperset(map(posixpath.normpath, one.files))]
            self._known.commands.extend(one for one in fit if not one.output_file and one not in self._known.commands)

    def examples(self, claim: Claim) -> Iterator[Draft | Note]:
        """Tests for the entries of a claim's `examples`."""
        for told, reasons, _ in self._examples(claim):
            yield from self._drafts(claim, told, reasons)

    def text(self, claim: Claim) -> Iterator[Draft | Note]:
        """Tests for a claim's text: sessions, lines, sentences, promises."""
        for told, reasons, _ in self._told(claim.text, claim.text, Origin.CLAIM_EXAMPLE):
            yield from self._drafts(claim, told, reasons)
        for sentence in sentences(blank_out(claim.text)):
            if not self._sentences().sentence(sentence.verbatim, claim.text).told:
                yield from promise_tests(claim, sentence, self._programs, self._known)

    def docstrings(self) -> Iterator[Draft | Note]:
        """Tests for the sessions in a program's own docstring, where a claim speaks of them."""
        for program in self._programs.all:
            for told, reasons, _ in self._sessions(_docstring(program.source), Origin.DOCSTRING_EXAMPLE, aligned=True):
                for one in told:
                    claim = self._owner(one)
                    if claim is None:
                        reason = f"the docstring of {program.path} holds a session, but no claim speaks of it"
                        yield Note(claim=self._brief.ticket.claims[0], reason=reason)
                    else:
                        yield from self._drafts(claim, [one], reasons)

    def _drafts(self, claim: Claim, told: Sequence[Told], reasons: Sequence[str]) -> Iterator[Draft | Note]:
        for one in told:
            if self._waits_for_terminal(one):
                yield Note(
                    claim=claim, reason="the program asks whether a person sits at it; give it input by `echo … |`"
                )
            elif one.checks:
                yield draft_of(claim, one)
        yield from (Note(claim=claim, reason=reason) for reason in reasons if reason)

    @staticmethod
    def _waits_for_terminal(told: Told) -> bool:
        runs = [step.command for step in told.steps if isinstance(step, Run)]
        return any(_WAITS.search(run.program.source) and not run.inputs and not run.arguments for run in runs)

    def _examples(self, claim: Claim) -> Iterator[tuple[list[Told], list[str], list[Command]]]:
        for example in claim.examples:
            if re.match(r"\s*[$%] ", example) or "\n" in example.strip():
                text = example if re.match(r"\s*[$%] ", example) else f"$ {example.lstrip()}"
                found = list(self._sessions(text, Origin.AUTHOR_EXAMPLE))
                yield from found or [([], [f"the example {example[:60]!r} is no session of the ticket's programs"], [])]
                continue
            reader = self._sentences()
            line = reader.line(example, trusted=True, origin=Origin.AUTHOR_EXAMPLE)
            reading = reader.sentence(example, claim.text) if not isinstance(line, Told) else None
            if isinstance(line, Told):
                yield [line], [], [step.command for step in line.steps if isinstance(step, Run)]
            elif reading is not None and reading.told:
                told = [
                    replace(one, quote=claim.text, origin=Origin.AUTHOR_EXAMPLE, label="example", detail=example)
                    for one in reading.told
                ]
                yield told, [], list(reading.commands)
            else:
                reason = line or next(iter(reading.reasons if reading else ()), "")
                yield (
                    [],
                    [reason or f"the example {example[:60]!r} is no command with what it prints or how it exits"],
                    [],
                )

    def _told(
        self, text: str, claim_text: str, origin: Origin
    ) -> Iterator[tuple[list[Told], list[str], list[Command]]]:
        yield from self._sessions(text, origin)
        reader = self._sentences()
        left = blank_out(text)
        for line in [*left.splitlines(), *(line for body in fenced_bodies(text) for line in body.splitlines())]:
            stripped = re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", line).strip()
            read = reader.line(stripped, trusted=False, origin=origin) if stripped and "`" not in stripped else None
            if isinstance(read, Told):
                yield [read], [], [step.command for step in read.steps if isinstance(step, Run)]
                left = left.replace(line, " " * len(line), 1)
        for sentence in sentences(left):
            reading = reader.sentence(sentence.verbatim, claim_text)
            yield list(reading.told), list(reading.reasons), list(reading.commands)

    def _sentences(self) -> SentenceReader:
        return SentenceReader(self._programs, self._files, self._known)

    def _sessions(
        self, text: str, origin: Origin, *, aligned: bool = False
    ) -> Iterator[tuple[list[Told], list[str], list[Command]]]:
        for transcript in [*read_transcripts(text), *self._without_prompts(text)]:
            reader = SessionReader(self._programs, self._files)
            steps = reader.steps(transcript)
            first = transcript.exchanges[0].command
            detail = "\n".join(f"$ {one.command}" for one in transcript.exchanges[:6])
            quote = first if not aligned else ""
            told = Told(steps=steps, quote=quote, origin=origin, label="session", detail=detail)
            yield ([told] if steps else []), reader.notes, reader.commands

    def _without_prompts(self, text: str) -> Iterator[Transcript]:
        """Fences in which a command stands bare, with its output below."""
        for body in fenced_bodies(text):
            exchanges: list[Exchange] = []
            for line in body.strip("\n").splitlines():
                bare = SessionReader(self._programs, self._files).steps(
                    Transcript(exchanges=(Exchange(command=line, shown=("…",)),), start=0, end=0)
                )
                if bare:
                    exchanges.append(Exchange(command=line, shown=()))
                elif exchanges:
                    last = exchanges[-1]
                    exchanges[-1] = Exchange(command=last.command, shown=(*last.shown, line))
                else:
                    break
            if any(one.shown for one in exchanges):
                yield Transcript(exchanges=tuple(exchanges), start=0, end=0)

    def _owner(self, told: Told) -> Claim | None:
        """The claim that a docstring's session belongs to: on documentation, naming what is run, or the only one."""
        claims = self._brief.ticket.claims
        spoken = next((claim for claim in claims if _OF_DOCUMENTATION.search(claim.text)), None)
        words = [word for step in told.steps if isinstance(step, Run) for word in step.command.arguments[:2]]
        names = [word for word in words if re.fullmatch(r"-{0,2}[a-zA-Z][\w-]+", word)]
        named = next(
            (
                claim
                for word in names
                for claim in claims
                if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", claim.text)
            ),
            None,
        )
        return spoken or named or (claims[0] if len(claims) == 1 else None)


def _docstring(source: str) -> str:
    try:
        return ast.get_docstring(parse_python(source)) or ""
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
