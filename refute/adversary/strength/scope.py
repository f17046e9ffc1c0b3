"""Where mutants come from: what the ticket changed, else what its claims name and what that refers to; and a sample.

References are followed by name. A trace of the attack would be more exact, but it would come from the process that runs
the code under test, which could hide the lines that nobody is to look at.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.change import changed_lines
from refute.adversary.promises import ERROR_NAME
from refute.adversary.references import at_top, defined, names_in
from refute.adversary.strength.mutants import Candidate, Mutant, candidates, sample_mutants
from refute.adversary.strength.violations import Violation
from refute.python_syntax import parsed_or_none
from refute.wording import first_names

FEW: Final = 5
"""Fewer mutants of changed lines say little: one of one that is killed would be a strong attack."""
_NAME: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_Lines = frozenset[tuple[str, int]]
"""Paths of modules with line numbers from 1."""


@dataclass(frozen=True, slots=True, eq=False)
class _Unit:
    """A function, a method, a class without its methods, or a constant of a module."""

    path: str
    name: str
    owner: str
    """The class of a method."""
    is_class: bool
    lines: _Lines
    uses: frozenset[str]
    """Names, and attributes of whatever object, that stand in it."""

    @property
    def key(self) -> str:
        """As code names it: `Cache.get`, `clamp`."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


def _units(body: Iterable[ast.AST], path: str, owner: str = "") -> Iterator[_Unit]:
    for node in at_top(body):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield _unit([node], path, name, owner)
            case ast.ClassDef(name=name, body=inner):
                methods = [part for part in inner if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
                rest = [part for part in inner if part not in methods]
                yield _unit([*node.decorator_list, *node.bases, *rest], path, name, is_class=True)
                yield from _units(methods, path, name)
            case ast.Assign() | ast.AnnAssign():
                yield from (_unit([node], path, name) for name in defined(node))


def _unit(
    parts: Sequence[ast.stmt | ast.expr], path: str, name: str, owner: str = "", *, is_class: bool = False
) -> _Unit:
    lines = ((path, line) for part in parts for line in range(part.lineno, (part.end_lineno or part.lineno) + 1))
    return _Unit(path, name, owner, is_class, frozenset(lines), frozenset().union(*map(names_in, parts)))


def _scopes(brief: Brief, every: Sequence[Candidate], *, wanted: int) -> Iterator[tuple[list[Candidate], str]]:
    """Mutants that may be drawn, of the closest code first, and which that is; each for when those before have none.

    Args:
        brief: of the ticket.
        every: mutants of all its code.
        wanted: named code with fewer mutants than these grows by what it refers to.
    """
    trees = ((one.module.path, parsed_or_none(one.source)) for one in brief.modules)
    units = [unit for path, tree in trees if tree for unit in _units(tree.body, path)]
    lines = _changed(brief)
    earlier, files = brief.ticket.base or brief.ticket.previous, sorted({path for path, _ in lines})
    words = f"what changed in {first_names(files)} against {earlier}"
    if lines and len(_inside(every, lines)) < FEW:
        around = [unit for unit in units if unit.lines & lines]
        lines |= _of(around)
        words += f", with {first_names(dict.fromkeys(unit.key for unit in around))}" if around else ""
    if lines:
        yield _inside(every, lines), words
    # A program's claims speak of what it does, not of its functions.
    named = reached = [] if brief.programs else _named(units, brief)
    while len(found := _inside(every, _of(reached))) < wanted and (wider := _referred(units, reached)):
        reached = [*reached, *wider]
    if named and found:
        classes = {unit.name for unit in named if unit.is_class}
        words = first_names(dict.fromkeys(unit.key for unit in named if unit.owner not in classes))
        yield found, words if reached is named else f"{words}, with what is used there"
    else:
        yield list(every), f"all of {first_names(one.module.path for one in brief.modules)}"


def _inside(every: Sequence[Candidate], lines: _Lines) -> list[Candidate]:
    return [one for one in every if (one.path, one.fault.line) in lines]


def _changed(brief: Brief) -> _Lines:
    """The lines of statements that are not in the version before; none where none is known, or none was added."""
    changed = ((one.module.path, brief.earlier.get(one.module.path), one.source) for one in brief.modules)
    return frozenset((path, line) for path, was, now in changed if was is not None for line in changed_lines(was, now))


def _named(units: Sequence[_Unit], brief: Brief) -> list[_Unit]:
    """Units whose names stand in claims; a class with its methods, a method by itself where no other class has one."""
    keys = {unit.key for unit in units}
    texts = [text for claim in brief.ticket.claims for text in (claim.text, *claim.code())]
    tokens = {token for text in texts for token in _NAME.findall(text) if not ERROR_NAME.fullmatch(token)}
    said = {name for token in tokens for name in ([token] if token in keys else token.split("."))}
    owners = Counter(unit.name for unit in units if unit.owner)
    classes = {unit.name for unit in units if unit.is_class} & said
    return [
        unit
        for unit in units
        if unit.owner in classes or unit.key in said or (unit.name in said and owners[unit.name] == 1 and unit.owner)
    ]


def _referred(units: Sequence[_Unit], reached: Sequence[_Unit]) -> list[_Unit]:
    """What units refer to beside themselves: names, and methods of the classes among them that are read or implied."""
    uses = {name for unit in reached for name in unit.uses}
    classes = {unit.owner or unit.name for unit in reached if unit.owner or unit.is_class}
    return [
        one
        for one in units
        if one not in reached
        and (one.name in uses or one.name.startswith("__") or (one.is_class and one.name in classes))
        and (not one.owner or one.owner in classes)
    ]


def _of(units: Iterable[_Unit]) -> _Lines:
    return _Lines().union(*(unit.lines for unit in units))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Mutants that an attack is measured by."""

    mutants: tuple[Mutant, ...]
    code: str = ""
    """Which code they are of: `Cache.get`."""
    population: int | None = None
    """How many mutants that code has; None where nobody counted."""
    changed: frozenset[tuple[str, int]] = frozenset()
    """(path, line) of what is not in the version before; none where none is known."""
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
    changed = _changed(brief)
    for possible, words in _scopes(brief, candidates(brief.modules), wanted=count):
        mutants = sample_mutants(possible, count=count, seed=seed, without=without, first=changed)
        places = {(one.path, one.fault.line) for one in possible}
        before = sum((one.path, one.line) in places for one in without)
        if mutants or before:
            # Where a sample is not filled nothing is left, and what compiles to the same code is known to be none.
            population = len(possible) if len(mutants) == count else len(mutants) + before
            return Sample(mutants=mutants, code=words, population=population, changed=changed)
    return Sample(mutants=())
