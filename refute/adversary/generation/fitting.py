"""What fits into a prompt: claims with what they name first, then what is near that, then the rest of the code."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.generation.outline import command_line, outline
from refute.adversary.generation.parts import Part, Rank, code_parts, command_parts, outline_parts
from refute.ticket.clauses import clauses_of
from refute.ticket.record import Claim, ClaimId

MAX_WHOLE_CHARS: Final = 6_000
"""A module up to this long is shown whole."""
MAX_CLAIM_CHARS: Final = 1_000
MAX_CLAUSE_CHARS: Final = 200
MAX_EXAMPLES: Final = 10
TOO_LONG: Final = "not asked about: with what it names it does not fit into a prompt (max_prompt_chars)"
Parts = Callable[[str, set[str]], list[Part]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """What is shown of a module."""

    text: str
    left_out: tuple[str, ...]
    """Names of the definitions of which no more than the outline is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a model is asked about."""

    brief: Brief
    """With the claims that fit."""
    left_out: dict[ClaimId, str]
    """Why each other claim is not asked about."""


def asked(brief: Brief) -> Asked:
    """Choose the claims that fit with the signatures and docstrings of what they name, in the ticket's order."""
    parts = [part for one in _each(brief, command_parts if brief.programs else outline_parts) for part in one]
    room, taken = brief.max_prompt_chars, set[int]()
    kept: list[Claim] = []
    for claim in brief.ticket.claims:
        words = _words([claim])
        new = {number for number, part in enumerate(parts) if part.keys & words} - taken
        needed = len(claim_lines(claim)) + 1 + sum(len(parts[number].forms[0]) + 1 for number in new)
        if needed <= room:
            room -= needed
            taken |= new
            kept.append(claim)
    ticket = replace(brief.ticket, claims=tuple(kept))
    left_out = {claim.id: TOO_LONG for claim in brief.ticket.claims if claim not in kept}
    return Asked(brief=replace(brief, ticket=ticket), left_out=left_out)


def claim_lines(claim: Claim) -> str:
    """A claim as a prompt shows it, with its clauses where it says several things."""
    runs = (f"`{claim.run}`",) if claim.run else ()
    examples = [one for one in (*runs, *claim.examples)[:MAX_EXAMPLES] if len(one) <= MAX_CLAIM_CHARS]
    clauses = [" ".join(clause.split()) for clause in clauses_of(claim.text)]
    shown = [f"{claim.id}: {claim.text[:MAX_CLAIM_CHARS]}"]
    if len(clauses) > 1:
        shown += [f"    clause {number}: {clause[:MAX_CLAUSE_CHARS]}" for number, clause in enumerate(clauses, start=1)]
    return "\n".join([*shown, *(f"    must hold: {one}" for one in examples)])


def outlines(brief: Brief) -> list[Excerpt]:
    """Of each module what a caller may know; of a program, what it declares."""
    view, parts = (command_line, command_parts) if brief.programs else (outline, outline_parts)
    return _fitted(brief, [Excerpt(text=view(one.source), left_out=()) for one in brief.modules], parts)


def excerpts(brief: Brief) -> list[Excerpt]:
    """Of each module the code that claims touch; of a long one the rest as an outline."""
    words = _words(brief.ticket.claims)
    return _fitted(brief, [_near(one.source, words) for one in brief.modules], code_parts)


def _near(source: str, words: set[str]) -> Excerpt:
    if len(source) <= MAX_WHOLE_CHARS:
        return Excerpt(text=source, left_out=())
    parts = code_parts(source, words)
    return _excerpt(parts, [int(part.rank is Rank.REST and bool(part.name)) for part in parts])


def _fitted(brief: Brief, whole: list[Excerpt], parts: Parts) -> list[Excerpt]:
    """The same, cut where it is too long for a prompt."""
    room = brief.max_prompt_chars - sum(len(claim_lines(claim)) + 1 for claim in brief.ticket.claims)
    if sum(len(one.text) for one in whole) <= room:
        return whole
    modules = _each(brief, parts)
    forms = iter(_cut([part for one in modules for part in one], room))
    return [_excerpt(one, [next(forms) for _ in one]) for one in modules]


def _excerpt(parts: Sequence[Part], forms: Sequence[int]) -> Excerpt:
    """Parts in these forms."""
    shown = list(zip(parts, forms, strict=True))
    return Excerpt(
        text="\n".join(part.forms[form] for part, form in shown if part.forms[form]),
        left_out=tuple(part.name for part, form in shown if form and part.name),
    )


def _cut(parts: Sequence[Part], room: int) -> list[int]:
    """The form of each part with which all fit: what is farthest from the claims loses first, and of that the last."""
    forms = [0] * len(parts)
    excess = sum(len(part.forms[0]) + 1 for part in parts) - room
    for rank in reversed(Rank):
        for form in range(1, 1 + max((len(part.forms) for part in parts), default=0)):
            for number in reversed(range(len(parts))):
                if excess <= 0:
                    return forms
                part = parts[number]
                if part.rank is rank and form < len(part.forms):
                    excess -= len(part.forms[form - 1]) - len(part.forms[form])
                    forms[number] = form
    return forms


def _each(brief: Brief, parts: Parts) -> list[list[Part]]:
    words = _words(brief.ticket.claims)
    return [parts(one.source, words) for one in brief.modules]


def _words(claims: Sequence[Claim]) -> set[str]:
    text = " ".join(claim.text for claim in claims)
    return {*re.findall(r"\w+", text), *re.findall(r"-[\w-]+", text)}  # names, and options
