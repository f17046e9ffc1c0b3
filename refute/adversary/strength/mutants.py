"""Mutants of a ticket's modules: which there are, and a sample of them that is the same each time."""

import ast
import copy
import difflib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from refute.adversary.attack import SourceModule
from refute.adversary.strength.equivalents import suspicion
from refute.adversary.strength.operators import changes
from refute.python_syntax import UNPARSABLE, parse_python, parsed_or_none

FUNCTION: Final = ast.FunctionDef | ast.AsyncFunctionDef
MAX_CANDIDATES: Final = 5_000
TOLD: Final = frozenset({"help", "description", "epilog", "metavar", "usage", "doc", "slots"})
"""Keyword arguments that only speak to people, or whose effect no claim is about."""
TEXT_CALLS: Final = frozenset({"debug", "info", "warning", "error", "exception", "critical", "log", "warn", "print"})


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


def sample_mutants(
    modules: Sequence[SourceModule], *, count: int, seed: str, without: Sequence[Mutant] = ()
) -> tuple[Mutant, ...]:
    """Draw mutants, the same ones for the same seed.

    Args:
        modules: of the implementation; what cannot be parsed has no mutants.
        count: at most so many.
        seed: any text.
        without: mutants of an earlier sample, not to be drawn again.
    """
    candidates = [(module, change) for module in modules for change in _candidates(module.source)]
    random.Random(seed).shuffle(candidates)  # noqa: S311  # reproducible, not secret
    seen = {(mutant.path, mutant.source) for mutant in without}
    drawn: list[Mutant] = []
    for module, (index, number) in candidates:
        if len(drawn) == count:
            break
        mutant = _make(module, index, number, len(drawn) + 1)
        if mutant is not None and (mutant.path, mutant.source) not in seen:
            seen.add((mutant.path, mutant.source))
            drawn.append(mutant)
    return tuple(drawn)


def _candidates(source: str) -> list[tuple[int, int]]:
    """(number of the node, number of its change), in the order of the file."""
    tree = parsed_or_none(source)
    if tree is None:
        return []
    found = []
    for index, node in enumerate(_sites(tree)):
        found += [(index, number) for number, _ in enumerate(changes(node))]
        if len(found) >= MAX_CANDIDATES:
            break
    return found


def _sites(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes that may be changed, in the order of the file: code that runs when it is used, nothing that only tells."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        skipped.update(id(part) for part in _only_told(node))
    for node in _in_order(tree):
        if id(node) not in skipped:
            yield node


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        yield from _in_order(child)


def _only_told(node: ast.AST) -> Iterator[ast.AST]:
    """Parts below a node that no claim is about: what only speaks to people, to type checkers or to the shell."""
    for part in (*_documentation(node), *_messages(node)):
        yield from ast.walk(part)


def _documentation(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Module | ast.ClassDef | FUNCTION) and ast.get_docstring(node, clean=False) is not None:
        yield node.body[0]
    match node:
        case ast.AnnAssign(annotation=annotation) | ast.arg(annotation=ast.expr() as annotation):
            yield annotation
        case ast.FunctionDef(returns=ast.expr() as returns) | ast.AsyncFunctionDef(returns=ast.expr() as returns):
            yield returns
        case ast.Assign(targets=[ast.Name(id=name)]) if name.startswith("__") and name.endswith("__"):
            yield node
        case ast.Import() | ast.ImportFrom() | ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            yield node
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            yield node


def _messages(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Raise(exc=ast.Call(args=arguments)):
            yield from arguments
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))) if name in TEXT_CALLS:
            yield node
        case ast.keyword(arg=str(name)) if name in TOLD:
            yield node
        case ast.JoinedStr(values=values):
            yield from (value for value in values if isinstance(value, ast.Constant))


def _make(module: SourceModule, index: int, number: int, ordinal: int) -> Mutant | None:
    """The mutant; None where Python compiles it to what it was, or not at all."""
    tree = parse_python(module.source)
    plain = ast.unparse(tree)
    site = next(node for place, node in enumerate(_sites(tree)) if place == index)
    change, other = next(made for place, made in enumerate(changes(site)) if place == number)
    line = getattr(site, "lineno", 0)
    suspected = suspicion(tree, site)
    mutated = _Replace(site, ast.copy_location(copy.deepcopy(other), site)).visit(tree)
    try:
        source = ast.unparse(ast.fix_missing_locations(mutated))
        if _same_code(plain, source):
            return None
    except UNPARSABLE:
        return None
    return Mutant(
        number=ordinal,
        path=module.module.path,
        line=line,
        change=change,
        source=source,
        diff=_diff(plain, source, module.module.path),
        suspected_equivalent=suspected,
    )


class _Replace(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old = old
        self._new = new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


def _same_code(one: str, other: str) -> bool:
    return compile(one, "m", "exec", optimize=0) == compile(other, "m", "exec", optimize=0)


def _diff(before: str, after: str, path: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, n=3, lineterm="")
    return "\n".join(lines)
