"""Mutants of a ticket's modules: which there are, and a sample of them that is the same each time."""

import ast
import difflib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from types import CodeType
from typing import Final

from refute.adversary.attack import SourceModule
from refute.adversary.strength.operators import changes, suspicion
from refute.adversary.strength.sites import sites_of
from refute.python_syntax import UNPARSABLE, parse_python, parsed_or_none

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
    suspected_equivalent: str = ""
    """Why the change may make no difference; empty where nothing suggests it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A change that could be made."""

    module: SourceModule
    line: int
    site: int
    """Number of the node that would be changed."""
    change: int
    """Number of the change of that node."""


def candidates(modules: Sequence[SourceModule]) -> list[Candidate]:
    """Every change of modules that can be parsed, in the order of the files."""
    return [one for module in modules for one in islice(_candidates(module), MAX_CANDIDATES)]


def sample_mutants(
    possible: Sequence[Candidate], *, count: int, seed: str, without: Sequence[Mutant] = ()
) -> tuple[Mutant, ...]:
    """Draw mutants, the same ones for the same seed.

    Args:
        possible: to be drawn from.
        count: at most so many.
        seed: any text.
        without: mutants of an earlier sample, not to be drawn again.
    """
    shuffled = list(possible)
    random.Random(seed).shuffle(shuffled)  # noqa: S311  # reproducible, not secret
    seen = {(mutant.path, mutant.source) for mutant in without}
    drawn: list[Mutant] = []
    benches: dict[str, _Workbench] = {}
    for one in shuffled:
        if len(drawn) == count:
            break
        path = one.module.module.path
        benches[path] = benches.get(path) or _Workbench(one.module)
        mutant = benches[path].make(one, len(drawn) + 1)
        if mutant is not None and (mutant.path, mutant.source) not in seen:
            seen.add((mutant.path, mutant.source))
            drawn.append(mutant)
    return tuple(drawn)


def _candidates(module: SourceModule) -> Iterator[Candidate]:
    tree = parsed_or_none(module.source)
    for index, node in enumerate(sites_of(tree) if tree else ()):
        for number, _ in enumerate(changes(node)):
            yield Candidate(module=module, line=getattr(node, "lineno", 0), site=index, change=number)


class _Workbench:
    """A module's tree, in which one node at a time is changed and put back: parsing a large one takes a while.

    Args:
        module: that can be parsed.
    """

    def __init__(self, module: SourceModule) -> None:
        self._path = module.module.path
        self._tree = parse_python(module.source)
        self._sites = list(sites_of(self._tree))
        self._plain = ast.unparse(self._tree)
        self._code = _compiled(self._plain)
        self._parents = {child: node for node in ast.walk(self._tree) for child in ast.iter_child_nodes(node)}

    def make(self, one: Candidate, ordinal: int) -> Mutant | None:
        """The mutant; None where Python compiles it to what it was, or not at all."""
        site = self._sites[one.site]
        change, other = next(islice(changes(site), one.change, None))
        try:
            source = self._written_with(site, ast.copy_location(other, site))
            if _compiled(source) == self._code:
                return None
        except UNPARSABLE:
            return None
        return Mutant(
            number=ordinal,
            path=self._path,
            line=one.line,
            change=change,
            source=source,
            diff=_diff(self._plain, source, self._path),
            suspected_equivalent=suspicion(site, self._parents[site]),
        )

    def _written_with(self, site: ast.AST, other: ast.AST) -> str:
        parent = self._parents[site]
        _replace_child(parent, site, other)
        try:
            return ast.unparse(self._tree)
        finally:
            _replace_child(parent, other, site)


def _replace_child(parent: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for name, value in ast.iter_fields(parent):
        if value is old:
            setattr(parent, name, new)
        elif isinstance(value, list):
            value[:] = [new if one is old else one for one in value]


def _compiled(source: str) -> CodeType:
    return compile(source, "m", "exec", optimize=0)


def _diff(before: str, after: str, path: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, n=3, lineterm="")
    return "\n".join(lines)
