"""The critic that needs no model: it reads text alone, and what it says is advice, never a verdict."""

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from typing import Final

from refute.adversary.attack import Brief
from refute.critics.focus import Focus
from refute.critics.material import promises_of
from refute.critics.record import Review, ReviewFailure, ReviewVerdict, Severity, Standing
from refute.python_syntax import parsed_or_none
from refute.ticket.record import Claim, Ticket

CRITIC_ID: Final = "text-1"
NOTE: Final = "no model asked: only the text was checked"
CALL: Final = re.compile(r"(?<![\w.])(?P<name>[a-z_]\w{2,})\(")
"""A call, as claims name functions; one behind a dot is an object's."""
WORD: Final = re.compile(r"[A-Za-z_]\w+")
TELLING_CHARS: Final = 5
"""Shorter words stand in any sentence."""
Spoken = tuple[Claim, str]
"""A promise, and what is wrong about it."""


def read_text(brief: Brief, files: Mapping[str, bytes]) -> Review:
    """The review of what the text alone shows: functions that are missing or untested, criteria without a claim.

    Args:
        brief: of the ticket.
        files: path → content of the snapshot.
    """
    known = {name for one in brief.modules for name in _names(one.source)}
    failures = tuple(
        ReviewFailure(
            severity=Severity.MINOR,
            description=text,
            evidence=promise.text,
            standing=Standing.UNCONFIRMED,
            reason="read off the text",
        )
        for promise, text in (*_missing(brief, known), *_untested(brief, known, files), *_unclaimed(brief.ticket))
    )
    verdict = ReviewVerdict.CONDITIONAL_PASS if failures else ReviewVerdict.PASS
    return Review(critic_id=CRITIC_ID, focus=Focus.SPEC_COMPLIANCE, verdict=verdict, failures=failures, note=NOTE)


def _missing(brief: Brief, known: set[str]) -> Iterator[Spoken]:
    for promise in promises_of(brief.ticket):
        for name in _called(promise.text):
            if name not in known and not hasattr(builtins, name):
                yield promise, f"{promise.id} speaks of {name}(), which the code does not have"


def _untested(brief: Brief, known: set[str], files: Mapping[str, bytes]) -> Iterator[Spoken]:
    """Claims about functions that neither the author's script nor any other file beside the code mentions."""
    code = set(brief.ticket.implementation_files)
    others = [content.decode("utf-8", "replace") for path, content in files.items() if path not in code]
    words = {word for text in others for word in WORD.findall(text)}
    for claim in brief.ticket.claims:
        names = [name for name in _called(claim.text) if name in known]
        if names and not words & {*names}:
            yield claim, f"{claim.id}: no test or script of the author's mentions {names[0]}()"


def _unclaimed(ticket: Ticket) -> Iterator[Spoken]:
    """Success criteria that share no telling word with any claim."""
    claimed = {word.lower() for claim in ticket.claims for word in WORD.findall(claim.text)}
    for promise in promises_of(ticket):
        telling = {word.lower() for word in WORD.findall(promise.text) if len(word) >= TELLING_CHARS}
        if promise.text in ticket.success_criteria and telling and not telling & claimed:
            yield promise, f"success criterion {promise.id} has no claim"


def _called(text: str) -> list[str]:
    return list(dict.fromkeys(match["name"] for match in CALL.finditer(text)))


def _names(source: str) -> Iterator[str]:
    tree = parsed_or_none(source)
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name) | ast.arg(arg=name) | ast.alias(name=name):
                yield name
            case ast.Attribute(attr=name):
                yield name
