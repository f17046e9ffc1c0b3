"""What fits into a prompt: the claims, and the code, of which what they name comes first where it is too long."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.generation.outline import command_line, outline
from refute.ticket.clauses import clauses_of
from refute.ticket.record import Claim, ClaimId

MAX_CLAIM_CHARS: Final = 1_000
MAX_CLAUSE_CHARS: Final = 200
MAX_EXAMPLES: Final = 10
MAX_NAMES: Final = 40
NOTED: Final = 8
"""Definitions named of those that a prompt does not show: to the model, and in a note."""
STATEMENT: Final = re.compile(r"\n(?=[@A-Za-z_])")
"""Before each statement of a module, and below its decorators."""
DEFINED: Final = re.compile(r"^\s*(?:async def|def|class) (\w+)", re.MULTILINE)
OPTION: Final = re.compile(r"--?[A-Za-z][\w-]*")
TOO_LONG: Final = "not asked about: it does not fit into a prompt beside the claims before it (max_prompt_chars)"


@dataclass(frozen=True, slots=True)
class Shown:
    """Code in a prompt, each module under its name."""

    text: str
    left_out: tuple[str, ...] = ()
    """`module.name` of the definitions that are not shown."""

    @property
    def cut(self) -> str:
        """What stands behind the heading of code that is cut; empty where nothing is."""
        return f" (too long; not shown: {named(self.left_out, MAX_NAMES)})" if self.left_out else ""

    @property
    def note(self) -> tuple[str, ...]:
        """The same for people."""
        told = f"too long for a prompt (max_prompt_chars), not shown: {named(self.left_out, NOTED)}"
        return (told,) if self.left_out else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a model is asked about."""

    brief: Brief
    """With the claims that fit."""
    left_out: dict[ClaimId, str]
    """Why each other claim is not asked about."""


def asked(brief: Brief) -> Asked:
    """Choose the claims that fit, in the ticket's order; the other half of a prompt is for the code."""
    room = brief.max_prompt_chars // 2
    kept: list[Claim] = []
    for claim in brief.ticket.claims:
        room -= len(claim_lines(claim)) + 1
        if room < 0:
            break
        kept.append(claim)
    left_out = {claim.id: TOO_LONG for claim in brief.ticket.claims[len(kept) :]}
    return Asked(brief=replace(brief, ticket=replace(brief.ticket, claims=tuple(kept))), left_out=left_out)


def claim_lines(claim: Claim) -> str:
    """A claim as a prompt shows it, with its clauses where it says several things."""
    runs = (f"`{claim.run}`",) if claim.run else ()
    examples = [one for one in (*runs, *claim.examples)[:MAX_EXAMPLES] if len(one) <= MAX_CLAIM_CHARS]
    clauses = [" ".join(clause.split()) for clause in clauses_of(claim.text)]
    shown = [f"{claim.id}: {claim.text[:MAX_CLAIM_CHARS]}"]
    if len(clauses) > 1:
        shown += [f"    clause {number}: {clause[:MAX_CLAUSE_CHARS]}" for number, clause in enumerate(clauses, start=1)]
    return "\n".join([*shown, *(f"    must hold: {one}" for one in examples)])


def named(names: Sequence[str], most: int) -> str:
    """The first of some names, and how many there are beside them."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def outlines(brief: Brief) -> Shown:
    """Of each module what a caller may know; of a program, what it declares."""
    view = command_line if brief.programs else outline
    return _fitted(brief, [view(one.source) for one in brief.modules])


def excerpts(brief: Brief) -> Shown:
    """The code of each module."""
    return _fitted(brief, [one.source for one in brief.modules])


def _fitted(brief: Brief, texts: Sequence[str]) -> Shown:
    """The texts; where they are too long together, what claims name and what else there is room for, in its place."""
    room = brief.max_prompt_chars - sum(len(claim_lines(claim)) + 1 for claim in brief.ticket.claims)
    heads = [
        f"# program {m.path}" if brief.programs else f"# module {m.name}" for m in (x.module for x in brief.modules)
    ]
    if sum(map(len, texts)) <= room:
        return Shown("\n\n".join(f"{head}\n{text}" for head, text in zip(heads, texts, strict=True)))
    said = " ".join(claim.text for claim in brief.ticket.claims)
    words = {*re.findall(r"\w+", said), *OPTION.findall(said)}
    pieces = [(number, piece) for number, text in enumerate(texts) for piece in _pieces(text)]
    kept = dict[int, str]()
    for at in sorted(range(len(pieces)), key=lambda at: words.isdisjoint(_names(pieces[at][1]))):
        piece = pieces[at][1]
        if not kept or len(piece) < room:
            kept[at] = piece[: max(room, 0)]
            room -= len(piece) + 1
    shown = [
        [kept[at] for at, (of, _) in enumerate(pieces) if of == number and at in kept] for number in range(len(texts))
    ]
    left_out = [
        f"{brief.modules[number].module.name}.{name}"
        for at, (number, piece) in enumerate(pieces)
        for name in DEFINED.findall(piece)[:1]
        if at not in kept
    ]
    return Shown("\n\n".join("\n".join([head, *own]) for head, own in zip(heads, shown, strict=True)), tuple(left_out))


def _pieces(text: str) -> list[str]:
    """The statements of a module, each with its decorators and what is indented below it."""
    pieces: list[str] = []
    for piece in STATEMENT.split(text):
        decorates = bool(pieces) and pieces[-1].startswith("@") and not DEFINED.search(pieces[-1])
        pieces[-1:] = [f"{pieces[-1]}\n{piece}"] if decorates else [*pieces[-1:], piece]
    return pieces


def _names(piece: str) -> set[str]:
    """By which a claim may mean it: what it defines, and options that it declares."""
    return {*DEFINED.findall(piece), *OPTION.findall(piece)}
