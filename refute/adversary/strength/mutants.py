"""Mutants of a ticket's modules: which there are, and a sample of them that is the same each time."""

import ast
import contextlib
import difflib
import random
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from types import CodeType
from typing import Final

from refute.adversary.attack import SourceModule
from refute.adversary.strength.operators import Fault, faults
from refute.python_syntax import UNPARSABLE, parse_python

MAX_CANDIDATES: Final = 50_000
"""Of a module."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """An implementation with one small fault."""

    number: int
    path: str
    """Of the changed file, relative to the workspace."""
    line: int
    change: str
    """In words: `< → <=`."""
    source: str
    """The whole changed file."""
    diff: str
    """Unified, three lines of context at most."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that could be made."""

    path: str
    tree: ast.Module
    fault: Fault


def candidates(modules: Sequence[SourceModule]) -> list[Candidate]:
    """Every change of modules that can be parsed, in the order of the files."""
    found: list[Candidate] = []
    for one in modules:
        with contextlib.suppress(*UNPARSABLE):  # hostile text nests deep
            tree = parse_python(one.source)
            found += [Candidate(one.module.path, tree, fault) for fault in islice(faults(tree), MAX_CANDIDATES)]
    return found


def sample_mutants(
    possible: Sequence[Candidate],
    *,
    count: int,
    seed: str,
    without: Sequence[Mutant] = (),
    first: AbstractSet[tuple[str, int]] = frozenset(),
) -> tuple[Mutant, ...]:
    """Draw mutants, the same ones for the same seed.

    Args:
        possible: to be drawn from.
        count: at most so many.
        seed: any text.
        without: mutants of an earlier sample, not to be drawn again.
        first: (path, line) of those that are drawn before others.
    """
    shuffled = list(possible)
    random.Random(seed).shuffle(shuffled)  # noqa: S311  # reproducible, not secret
    shuffled.sort(key=lambda one: (one.path, one.fault.line) not in first)
    seen = {(mutant.path, mutant.source) for mutant in without}
    plain: dict[str, tuple[str, CodeType]] = {}
    drawn: list[Mutant] = []
    for one in shuffled:
        if len(drawn) == count:
            break
        if one.path not in plain:
            plain[one.path] = _written(one.tree)
        before, code = plain[one.path]
        try:
            with one.fault.made():
                source, changed = _written(one.tree)
        except UNPARSABLE:
            continue
        if changed == code or (one.path, source) in seen:
            continue
        seen.add((one.path, source))
        drawn.append(
            Mutant(
                number=len(drawn) + 1,
                path=one.path,
                line=one.fault.line,
                change=one.fault.words,
                source=source,
                diff=unified(before, source, one.path),
            )
        )
    return tuple(drawn)


def unified(before: str, after: str, path: str) -> str:
    """A diff with three lines of context."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, n=3, lineterm="")
    return "\n".join(lines)


def _written(tree: ast.Module) -> tuple[str, CodeType]:
    """A tree as text, and what Python compiles that to."""
    source = ast.unparse(tree)
    return source, compile(source, "m", "exec", optimize=0)
