"""What fits into a prompt: the claims, and the code, of which what they name comes first where it is too long."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.generation.outline import command_line, outline
from refute.ticket.clauses import clauses_of
from refute.ticket.record import Claim
from refute.wording import cut_plainly

MAX_CLAIM_CHARS: Final = 1_000
MAX_CLAUSE_CHARS: Final = 200
MAX_EXAMPLES: Final = 10
STATEMENT: Final = re.compile(r"^(?:@.*(?:\n(?![@A-Za-z_]).*)*\n)*[^@\n].*(?:\n(?![@A-Za-z_]).*)*", re.MULTILINE)
"""A statement of a module, with its decorators and what is indented below it."""
DEFINED: Final = re.compile(r"^\s*(?:async def|def|class) (\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Shown:
    """Code in a prompt, each module under its name."""

    text: str
    cut: str = ""
    """How much is not shown, in words; empty where all is."""


def claims_shown(claims: Sequence[Claim], *, room: int) -> str:
    """Claims as every prompt shows them, cut plainly where they have more characters than there is room for."""
    return cut_plainly("\n".join(map(_lines, claims)), room)


def _lines(claim: Claim) -> str:
    """A claim with its clauses, where it says several things."""
    runs = (f"`{claim.run}`",) if claim.run else ()
    examples = [one for one in (*runs, *claim.examples)[:MAX_EXAMPLES] if len(one) <= MAX_CLAIM_CHARS]
    clauses = [" ".join(clause.split()) for clause in clauses_of(claim.text)]
    shown = [f"{claim.id}: {claim.text[:MAX_CLAIM_CHARS]}"]
    if len(clauses) > 1:
        shown += [f"    clause {number}: {clause[:MAX_CLAUSE_CHARS]}" for number, clause in enumerate(clauses, start=1)]
    return "\n".join([*shown, *(f"    must hold: {one}" for one in examples)])


def outlines(brief: Brief) -> Shown:
    """Of each module what a caller may know; of a program, what it declares."""
    view = command_line if brief.programs else outline
    return _fitted(brief, [view(one.source) for one in brief.modules])


def excerpts(brief: Brief) -> Shown:
    """The code of each module."""
    return _fitted(brief, [one.source for one in brief.modules])


def _fitted(brief: Brief, texts: Sequence[str]) -> Shown:
    """The texts; where they are too long together, the statements that claims name come first, and the end is cut."""
    room = brief.max_prompt_chars - len(claims_shown(brief.ticket.claims, room=brief.max_prompt_chars // 2))
    heads = [
        f"# program {m.path}" if brief.programs else f"# module {m.name}" for m in (x.module for x in brief.modules)
    ]
    whole = "\n\n".join(f"{head}\n{text}" for head, text in zip(heads, texts, strict=True))
    if sum(map(len, texts)) <= room:
        return Shown(whole)
    words = set(re.findall(r"\w+", " ".join(claim.text for claim in brief.ticket.claims)))
    pieces = [(head, piece) for head, text in zip(heads, texts, strict=True) for piece in STATEMENT.findall(text)]
    pieces.sort(key=lambda one: words.isdisjoint(DEFINED.findall(one[1])))
    groups = groupby(pieces, key=lambda one: one[0])
    shown = "\n\n".join("\n".join([head, *(piece for _, piece in own)]) for head, own in groups)[:room]
    return Shown(shown, f" (too long for max_prompt_chars: {len(whole) - len(shown)} characters are not shown)")
