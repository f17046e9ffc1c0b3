"""A test before it has a name and a place: what the parts of the property tester hand to the renderer."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from refute.adversary.attack import Category, Origin, Untested
from refute.ticket.clauses import clauses_of
from refute.ticket.record import Claim

_SHORTEST_QUOTE = 12
_WORD = re.compile(r"\w+")


def quote_of(claim: Claim, piece: str, within: str = "") -> str:
    """Words of one clause of the claim: the piece where it stands there and says enough by itself, else the clause.

    Args:
        claim: to quote.
        piece: words of the claim that a test attacks, or the code that it runs.
        within: the words of the piece that were understood, where that may be more than one clause.
    """
    clauses = clauses_of(claim.text)
    if len(piece) >= _SHORTEST_QUOTE and any(piece in clause for clause in clauses):
        return piece
    said = set(_WORD.findall(within or piece))
    return max(clauses, key=lambda clause: len(said.intersection(_WORD.findall(clause))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One test to be written."""

    claim: Claim
    quote: str
    """Verbatim part of the claim's text."""
    category: Category
    origin: Origin
    label: str
    """A few words for the test's name, e.g. `example`, `does not modify`."""
    detail: str = ""
    """What the test does, for its docstring, e.g. the example as written."""
    imports: tuple[str, ...] = ()
    """Import lines, inside the test: a module that fails to import breaks only the tests that need it."""
    body: tuple[str, ...]
    """Lines of Python, indented relative to the test's own body."""
    given: tuple[tuple[str, str], ...] = ()
    """Variable → Hypothesis strategy expression; empty for a plain test."""
    doubt: str = ""
    field: str = ""
    """See `AttackTest`."""


class NotTested(Exception):
    """Why something that a claim says cannot be made a test."""


def attempt(claim: Claim, what: str, made: Callable[[], Draft]) -> Draft | Untested:
    """The test of something that a claim says, or why it has none."""
    try:
        return made()
    except NotTested as why:
        return Untested(claim=claim, reason=f"{what} {why}", field=what.rstrip(":"))
