"""What fits into a prompt: the claims, and the code, of which what they name comes first where it is too long."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.generation.outline import command_line, outline
from refute.adversary.suite_source import lines_of
from refute.python_syntax import parsed_or_none, python_lines
from refute.ticket.clauses import clauses_of
from refute.ticket.record import Claim, ClaimId

MAX_CLAIM_CHARS: Final = 1_000
MAX_CLAUSE_CHARS: Final = 200
MAX_EXAMPLES: Final = 10
TOO_LONG: Final = "not asked about: it does not fit into a prompt beside the claims before it (max_prompt_chars)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """What is shown of a module."""

    text: str
    left_out: tuple[str, ...] = ()
    """Names of the definitions that are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a model is asked about."""

    brief: Brief
    """With the claims that fit."""
    left_out: dict[ClaimId, str]
    """Why each other claim is not asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """A statement of a module or class, or a class's head; with the comments behind it."""

    text: str
    name: str = ""
    """Dotted; empty for what is no definition."""
    keys: frozenset[str] = frozenset()
    """By which a claim may mean it."""


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


def outlines(brief: Brief) -> list[Excerpt]:
    """Of each module what a caller may know; of a program, what it declares."""
    view = command_line if brief.programs else outline
    return _fitted(brief, [view(one.source) for one in brief.modules])


def excerpts(brief: Brief) -> list[Excerpt]:
    """The code of each module."""
    return _fitted(brief, [one.source for one in brief.modules])


def _fitted(brief: Brief, texts: Sequence[str]) -> list[Excerpt]:
    """The texts; where they are too long together, what claims name and what else there is room for."""
    room = brief.max_prompt_chars - sum(len(claim_lines(claim)) + 1 for claim in brief.ticket.claims)
    if sum(map(len, texts)) <= room:
        return [Excerpt(text=text) for text in texts]
    said = " ".join(claim.text for claim in brief.ticket.claims)
    words = {*re.findall(r"\w+", said), *re.findall(r"-[\w-]+", said)}  # names, and options
    modules = [list(_blocks(text)) for text in texts]
    shown = set[int]()
    for block in sorted((block for one in modules for block in one), key=lambda block: not block.keys & words):
        if len(block.text) < room:
            room -= len(block.text) + 1
            shown.add(id(block))
    return [
        Excerpt(
            text="\n".join(block.text for block in one if id(block) in shown),
            left_out=tuple(block.name for block in one if block.name and id(block) not in shown),
        )
        for one in modules
    ]


def _blocks(text: str) -> Iterator[_Block]:
    """A text in blocks; in lines, where it cannot be parsed."""
    lines, tree = python_lines(text), parsed_or_none(text)
    starts = dict(_starts(tree.body)) if tree else {number: _Block(text="") for number in range(1, len(lines) + 1)}
    for block, (first, end) in zip(starts.values(), pairwise([*starts, len(lines) + 1]), strict=True):
        yield replace(block, text="\n".join(lines[first - 1 : end - 1]))


def _starts(body: Sequence[ast.stmt], owner: str = "") -> Iterator[tuple[int, _Block]]:
    """The first line of each block, and the block without its text; members of a class after its head."""
    for node in body:
        name = getattr(node, "name", "")
        keys = {name, owner} if owner and name == "__init__" else {name} if name else _quoted(node)
        yield (
            lines_of(node)[0],
            _Block(text="", name=f"{owner}.{name}" if owner and name else name, keys=frozenset(keys)),
        )
        if isinstance(node, ast.ClassDef) and lines_of(node.body[0])[0] > node.lineno:
            yield from _starts(node.body, node.name)


def _quoted(node: ast.stmt) -> set[str]:
    """What a program's declaration is about: `add_argument('--option')`."""
    given = node.value.args if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else ()
    return {one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)}
