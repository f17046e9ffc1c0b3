"""Everything that a ticket's claims and docstrings say about command lines, as drafts of tests."""

import ast
import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from refute.adversary.attack import Brief, Origin
from refute.adversary.property.command_lines.programs import Programs, programs_of
from refute.adversary.property.command_lines.promises import promise_tests
from refute.adversary.property.command_lines.steps import Run, Told, draft_of
from refute.adversary.property.command_lines.texts import Found, TextReader
from refute.adversary.property.command_lines.transcripts import blank_out
from refute.adversary.property.draft import Draft, Note
from refute.python_syntax import parsed_or_none
from refute.ticket.record import Claim

if TYPE_CHECKING:
    from refute.adversary.property.command_lines.command import Command

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
_OF_TERMINAL: Final = "the program asks whether a person sits at it; give it input by `echo … |`"
_OF_PROPERTY: Final = (
    "its property block is Python about importable code; a program is attacked by its text and examples"
)


def command_line_tests(brief: Brief) -> Iterator[Draft | Note]:
    """Every test that can be made of what the ticket says about its programs."""
    reader = _Reader(brief)
    for claim in brief.ticket.claims:
        reader.learn(claim)
    for claim in brief.ticket.claims:
        yield from reader.claim(claim)
    yield from reader.docstrings()


class _Reader:
    """Reads one ticket."""

    def __init__(self, brief: Brief) -> None:
        self._claims = brief.ticket.claims
        self._programs: Programs = programs_of(brief)
        self._files = frozenset(brief.workspace_paths)
        self._known: list[Command] = []
        self._texts = TextReader(self._programs, self._files, self._known)

    def learn(self, claim: Claim) -> None:
        """Note the commands that a claim writes out, since circumstances of other claims are made from them."""
        for found in self._found(claim):
            there = [one for one in found.commands if self._files.issuperset(map(posixpath.normpath, one.files))]
            fit = [one for one in there if not one.output_file and one not in self._known]
            self._known.extend(fit)

    def claim(self, claim: Claim) -> Iterator[Draft | Note]:
        """Tests for a claim: its examples, its text, and what it promises of every run."""
        for found in self._found(claim):
            yield from self._drafts(claim, found)
        yield from promise_tests(claim, self._programs, self._known)
        if claim.property is not None:
            yield Note(claim=claim, reason=_OF_PROPERTY)

    def docstrings(self) -> Iterator[Draft | Note]:
        """Tests for the sessions and lines in a program's own docstring, where a claim speaks of them."""
        for program in self._programs.all:
            text = _docstring(program.source)
            places = [*self._texts.sessions(text, Origin.DOCSTRING_EXAMPLE)]
            places += self._texts.lines(blank_out(text), Origin.DOCSTRING_EXAMPLE)
            for found in places:
                claim = self._owner(found)
                if claim is not None:
                    yield from self._drafts(claim, found)
                elif found.told:
                    reason = f"the docstring of {program.path} holds a session, but no claim speaks of it"
                    yield Note(claim=self._claims[0], reason=reason)

    def _found(self, claim: Claim) -> Iterator[Found]:
        for example in claim.examples:
            yield from self._texts.example(example, claim.text)
        yield from self._texts.text(claim.text, Origin.CLAIM_EXAMPLE)

    @staticmethod
    def _drafts(claim: Claim, found: Found) -> Iterator[Draft | Note]:
        for told in found.told:
            if _waits_for_terminal(told):
                yield Note(claim=claim, reason=_OF_TERMINAL)
            elif told.checks:
                yield draft_of(claim, told)
        yield from (Note(claim=claim, reason=reason) for reason in found.reasons if reason)

    def _owner(self, found: Found) -> Claim | None:
        """The claim that a docstring's session belongs to: on documentation, naming what is run, or the only one."""
        spoken = next((claim for claim in self._claims if _OF_DOCUMENTATION.search(claim.text)), None)
        words = [word for command in found.commands for word in command.arguments[:2]]
        names = [re.escape(word) for word in words if re.fullmatch(r"-{0,2}[a-zA-Z][\w-]+", word)]
        patterns = [re.compile(rf"(?<![\w-]){name}(?![\w-])") for name in names]
        named = next((claim for one in patterns for claim in self._claims if one.search(claim.text)), None)
        return spoken or named or (self._claims[0] if len(self._claims) == 1 else None)


def _waits_for_terminal(told: Told) -> bool:
    """Whether a run may depend on who types: it is given nothing, and the program asks."""
    runs = [step.command for step in told.steps if isinstance(step, Run)]
    return any(_WAITS.search(run.program.source) and not run.inputs and not run.arguments for run in runs)


def _docstring(source: str) -> str:
    tree = parsed_or_none(source)
    return (ast.get_docstring(tree) if tree else None) or ""
