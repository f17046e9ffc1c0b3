"""Where mutants come from: what the ticket changed, else what its claims name and what that refers to; and a sample.

References are followed by name. A trace of the attack would be more exact, but it would come from the process that runs
the code under test, which could hide the lines that nobody is to look at.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.change import changed_lines
from refute.adversary.strength.mutants import Candidate, Mutant, candidates, sample_mutants
from refute.adversary.strength.units import Unit, units_of
from refute.adversary.strength.violations import Violation
from refute.python_syntax import python_lines
from refute.ticket.record import Claim

SHOWN: Final = 4
"""Names, or ranges of lines, that are told; of the others only how many."""
FEW: Final = 5
"""Fewer mutants of changed lines say little: one of one that is killed would be a strong attack."""
ERRORS: Final = ("Error", "Exception", "Warning")
"""How classes are named that a claim mentions as what comes out, not as what it is about."""
_NAME: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Code that mutants may come from."""

    lines: Mapping[str, frozenset[int]]
    """Path of a module → line numbers from 1."""
    words: str
    """Which code that is, after "mutants of": `class Cache and what it refers to`."""


def scopes(brief: Brief, *, wanted: int, count: Callable[[Scope], int]) -> Iterator[Scope]:
    """Where mutants may come from, the closest first; each is meant for when the ones before have none.

    Args:
        brief: of the ticket.
        wanted: named code with fewer mutants than these grows by what it refers to.
        count: how many mutants a scope has.
    """
    changed = _changed(brief)
    if changed is not None:
        yield changed if count(changed) >= FEW else _with_surroundings(changed, brief)
    named = _named_and_reached(brief, wanted=wanted, count=count)
    if named is not None and count(named):
        yield named
        return
    everything = {one.module.path: frozenset(range(len(python_lines(one.source)) + 1)) for one in brief.modules}
    yield Scope(lines=everything, words=f"all of {_listed(everything)}")


def _changed(brief: Brief) -> Scope | None:
    """The statements that are not in the version before; None where none is known, or none was added."""
    before = brief.earlier
    modules = [one for one in brief.modules if one.module.path in before]
    lines = {one.module.path: changed_lines(before[one.module.path], one.source) for one in modules}
    lines = {path: changed for path, changed in lines.items() if changed}
    where = _listed(f"{_ranges(sorted(changed))} of {path}" for path, changed in lines.items())
    words = f"{where}, changed against {brief.ticket.base or brief.ticket.previous}"
    return Scope(lines=lines, words=words) if lines else None


def _with_surroundings(changed: Scope, brief: Brief) -> Scope:
    """Changed lines with the definitions that they stand in."""
    around = [unit for unit in units_of(brief.modules) if unit.lines & changed.lines.get(unit.path, frozenset())]
    found = _lines(around)
    lines = {path: own | found.get(path, frozenset()) for path, own in changed.lines.items()}
    names = _listed(unit.shown for unit in around)
    return Scope(lines=lines, words=f"{changed.words}, with {names}" if around else changed.words)


def _named_and_reached(brief: Brief, *, wanted: int, count: Callable[[Scope], int]) -> Scope | None:
    """What claims name, with what that refers to, level by level, until there are mutants enough; None: they name none.

    A program's claims speak of what it does, not of its functions.
    """
    units = () if brief.programs else units_of(brief.modules)
    reached = named = _named(units, brief.ticket.claims)
    classes = {unit.name for unit in named if unit.is_class}
    words = _listed(dict.fromkeys(unit.shown for unit in named if unit.owner not in classes))
    scope = Scope(lines=_lines(named), words=words)
    while count(scope) < wanted and (wider := _referred(units, reached)):
        reached = (*reached, *wider)
        scope = Scope(lines=_lines(reached), words=f"{words}, with what is used there")
    return scope if named else None


def _named(units: Sequence[Unit], claims: Iterable[Claim]) -> tuple[Unit, ...]:
    """Units whose names stand in claims; a class with its methods, a method by itself where no other class has one."""
    known = {unit.key for unit in units}
    tokens = {token for claim in claims for text in (claim.text, *claim.code()) for token in _NAME.findall(text)}
    said = {name for token in tokens for name in _parts(token, known)}
    owners = Counter(unit.name for unit in units if unit.owner)
    classes = {unit.name for unit in units if unit.is_class and not unit.name.endswith(ERRORS)} & said
    methods = {name for name in said if owners[name] == 1}
    plain = said - {unit.name for unit in units if unit.is_class or (unit.is_constant and unit.name.islower())}
    return tuple(
        unit
        for unit in units
        if (
            unit.owner in classes or unit.key in said or unit.name in methods
            if unit.owner
            else unit.name in plain | classes
        )
    )


def _parts(token: str, known: set[str]) -> list[str]:
    """The names that a dotted one means: `Cache.get` where that is a method, else each of its parts."""
    parts = token.split(".")
    return [name for pair in pairwise(parts) if (name := ".".join(pair)) in known] or parts


def _referred(units: Sequence[Unit], reached: Sequence[Unit]) -> list[Unit]:
    """What units refer to beside themselves: names, and methods of the classes among them that are read or implied."""
    uses = {name for unit in reached for name in unit.uses}
    classes = {unit.owner or unit.name for unit in reached if unit.owner or unit.is_class}
    used = uses | {unit.name for unit in units if unit.is_special or (unit.is_class and unit.name in classes)}
    return [one for one in units if one not in reached and one.name in used and (not one.owner or one.owner in classes)]


def _lines(units: Iterable[Unit]) -> dict[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for unit in units:
        found[unit.path] = found.get(unit.path, frozenset()) | unit.lines
    return found


def _ranges(lines: Sequence[int]) -> str:
    """Line numbers in words: `lines 120–141, 150`."""
    inside = set(lines)
    firsts = [line for line in lines if line - 1 not in inside]
    lasts = [line for line in lines if line + 1 not in inside]
    spans = [str(first) if first == last else f"{first}–{last}" for first, last in zip(firsts, lasts, strict=True)]
    return f"line{'' if len(lines) == 1 else 's'} {_listed(spans)}"


def _listed(names: Iterable[str]) -> str:
    found = list(names)
    more = [f"{len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return ", ".join([*found[:SHOWN], *more])


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Mutants that an attack is measured by."""

    mutants: tuple[Mutant, ...]
    code: str = ""
    """Which code they are of: `class Cache`."""
    population: int | None = None
    """How many mutants that code has; None where nobody counted."""
    violations: tuple[Violation, ...] = ()
    """Edits by a model that run beside them, first, and are no part of the score."""


def draw_sample(brief: Brief, *, count: int, seed: str, without: Sequence[Mutant] = ()) -> Sample:
    """Draw mutants of the code that is closest to the claims and has any; all that are left where they are no more.

    Args:
        brief: of the ticket.
        count: at most so many.
        seed: any text; the same mutants for the same one.
        without: mutants of an earlier sample, not to be drawn again.
    """
    every = candidates(brief.modules)
    for scope in scopes(brief, wanted=count, count=lambda one: len(_inside(one, every))):
        possible = _inside(scope, every)
        mutants = sample_mutants(possible, count=count, seed=seed, without=without)
        before = sum(one.line in scope.lines.get(one.path, ()) for one in without)
        if mutants or before:
            # Where a sample is not filled nothing is left, and what compiles to the same code is known to be none.
            population = len(possible) if len(mutants) == count else len(mutants) + before
            return Sample(mutants=mutants, code=scope.words, population=population)
    return Sample(mutants=())


def _inside(scope: Scope, every: Sequence[Candidate]) -> list[Candidate]:
    return [one for one in every if one.line in scope.lines.get(one.module.module.path, ())]
