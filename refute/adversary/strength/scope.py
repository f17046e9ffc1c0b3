"""Where mutants come from: what the ticket changed, else what its claims name and what that refers to; and a sample.

References are followed by name. A trace of the attack would be more exact, but it would come from the process that runs
the code under test, which could hide the lines that nobody is to look at.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from refute.adversary.attack import Brief
from refute.adversary.change import changed_lines
from refute.adversary.references import defined
from refute.adversary.strength.mutants import Candidate, Mutant, candidates, sample_mutants
from refute.adversary.strength.violations import Violation
from refute.python_syntax import parsed_or_none, python_lines

SHOWN: Final = 4
"""Names, or ranges of lines, that are told; of the others only how many."""
FEW: Final = 5
"""Fewer mutants of changed lines say little: one of one that is killed would be a strong attack."""
ERRORS: Final = ("Error", "Exception", "Warning")
"""How classes are named that a claim mentions as what comes out, not as what it is about."""
FUNCTION: Final = ast.FunctionDef | ast.AsyncFunctionDef
_NAME: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_Lines = Mapping[str, frozenset[int]]
"""Path of a module → line numbers from 1."""
_Scope = tuple[_Lines, str]
"""Code that mutants may come from, and which that is, after "mutants of": `class Cache`."""


@dataclass(frozen=True, slots=True, eq=False)
class _Unit:
    """A function, a method, a class without its methods, or a constant of a module."""

    path: str
    name: str
    owner: str
    """The class of a method."""
    kind: type[ast.AST]
    lines: frozenset[int]
    uses: frozenset[str]
    """Names, and attributes of whatever object, that stand in it."""

    @property
    def key(self) -> str:
        """As code names it: `Cache.get`, `clamp`."""
        return f"{self.owner}.{self.name}" if self.owner else self.name

    @property
    def shown(self) -> str:
        """For people: `class Cache`, `Cache.get`, `clamp`."""
        return f"class {self.name}" if self.kind is ast.ClassDef else self.key


def _units(body: Iterable[ast.AST], path: str, owner: str = "") -> Iterator[_Unit]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield _unit(node, [node], path, name, owner)
            case ast.ClassDef(name=name, body=inner):
                methods = [part for part in inner if isinstance(part, FUNCTION)]
                rest = [part for part in inner if part not in methods]
                yield _unit(node, [*node.decorator_list, *node.bases, *rest], path, name)
                yield from _units(methods, path, name)
            case ast.If() | ast.Try() | ast.With() | ast.ExceptHandler():
                yield from _units(ast.iter_child_nodes(node), path)
            case ast.Assign() | ast.AnnAssign():
                yield from (_unit(node, [node], path, name) for name in defined(node))


def _unit(node: ast.AST, parts: Sequence[ast.stmt | ast.expr], path: str, name: str, owner: str = "") -> _Unit:
    lines = (line for part in parts for line in range(part.lineno, (part.end_lineno or part.lineno) + 1))
    below = [one for part in parts for one in ast.walk(part)]
    names = {one.id for one in below if isinstance(one, ast.Name)}
    names |= {one.attr for one in below if isinstance(one, ast.Attribute)}
    return _Unit(path, name, owner, type(node), frozenset(lines), frozenset(names))


def _scopes(brief: Brief, *, wanted: int, count: Callable[[_Lines], int]) -> Iterator[_Scope]:
    """Where mutants may come from, the closest first; each is meant for when the ones before have none.

    Args:
        brief: of the ticket.
        wanted: named code with fewer mutants than these grows by what it refers to.
        count: how many mutants some lines have.
    """
    trees = ((one.module.path, parsed_or_none(one.source)) for one in brief.modules)
    units = [unit for path, tree in trees if tree for unit in _units(tree.body, path)]
    lines, words = _changed(brief)
    if lines and count(lines) < FEW:
        around = [unit for unit in units if unit.lines & lines.get(unit.path, frozenset())]
        lines = _of(around, lines)
        words += f", with {_listed(unit.shown for unit in around)}" if around else ""
    if lines:
        yield lines, words
    # A program's claims speak of what it does, not of its functions.
    named = [] if brief.programs else _named(units, brief)
    classes = {unit.name for unit in named if unit.kind is ast.ClassDef}
    words = _listed(dict.fromkeys(unit.shown for unit in named if unit.owner not in classes))
    reached, lines = named, _of(named)
    while count(lines) < wanted and (wider := _referred(units, reached)):
        reached = [*reached, *wider]
        lines = _of(reached)
    if named and count(lines):
        yield lines, words if reached is named else f"{words}, with what is used there"
        return
    everything = {one.module.path: frozenset(range(len(python_lines(one.source)) + 1)) for one in brief.modules}
    yield everything, f"all of {_listed(everything)}"


def _changed(brief: Brief) -> _Scope:
    """The lines of statements that are not in the version before; none where none is known, or none was added."""
    modules = [one for one in brief.modules if one.module.path in brief.earlier]
    found = {one.module.path: changed_lines(brief.earlier[one.module.path], one.source) for one in modules}
    found = {path: changed for path, changed in found.items() if changed}
    where = _listed(f"{_ranges(sorted(changed))} of {path}" for path, changed in found.items())
    return found, f"{where}, changed against {brief.ticket.base or brief.ticket.previous}"


def _named(units: Sequence[_Unit], brief: Brief) -> list[_Unit]:
    """Units whose names stand in claims; a class with its methods, a method by itself where no other class has one."""
    keys = {unit.key for unit in units}
    texts = [text for claim in brief.ticket.claims for text in (claim.text, *claim.code())]
    tokens = {token for text in texts for token in _NAME.findall(text)}
    said = {name for token in tokens for name in ([token] if token in keys else token.split("."))}
    owners = Counter(unit.name for unit in units if unit.owner)
    classes = {unit.name for unit in units if unit.kind is ast.ClassDef and not unit.name.endswith(ERRORS)} & said
    errors = {unit.name for unit in units if unit.kind is ast.ClassDef} - classes
    found = []
    for unit in units:
        constant = unit.kind in {ast.Assign, ast.AnnAssign}
        by_name = (
            owners[unit.name] == 1 if unit.owner else unit.name not in errors and not (constant and unit.name.islower())
        )
        if unit.owner in classes or (unit.owner and unit.key in said) or (unit.name in said and by_name):
            found.append(unit)
    return found


def _referred(units: Sequence[_Unit], reached: Sequence[_Unit]) -> list[_Unit]:
    """What units refer to beside themselves: names, and methods of the classes among them that are read or implied."""
    uses = {name for unit in reached for name in unit.uses}
    classes = {unit.owner or unit.name for unit in reached if unit.owner or unit.kind is ast.ClassDef}
    implied = {unit.name for unit in units if unit.owner and unit.name.startswith("__")}
    used = uses | implied | {unit.name for unit in units if unit.kind is ast.ClassDef and unit.name in classes}
    return [one for one in units if one not in reached and one.name in used and (not one.owner or one.owner in classes)]


def _of(units: Iterable[_Unit], lines: _Lines | None = None) -> dict[str, frozenset[int]]:
    """The lines of units, beside others."""
    found = dict(lines or {})
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

    def inside(lines: _Lines) -> list[Candidate]:
        return [one for one in every if one.fault.line in lines.get(one.path, ())]

    for lines, words in _scopes(brief, wanted=count, count=lambda lines: len(inside(lines))):
        possible = inside(lines)
        mutants = sample_mutants(possible, count=count, seed=seed, without=without)
        before = sum(one.line in lines.get(one.path, ()) for one in without)
        if mutants or before:
            # Where a sample is not filled nothing is left, and what compiles to the same code is known to be none.
            population = len(possible) if len(mutants) == count else len(mutants) + before
            return Sample(mutants=mutants, code=words, population=population)
    return Sample(mutants=())
