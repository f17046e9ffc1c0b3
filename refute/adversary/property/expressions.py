"""Python expressions found in tickets: parsed, never evaluated here; unparsed into the generated file."""

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from refute.python_syntax import expression_or_none, nests_deeper, parsed_or_none

MAX_EXPRESSION_CHARACTERS = 4_000
"""Longer texts are not read as code: parsing cost and the size of the generated file stay bounded."""

_LITERAL_CHARACTERS = 40
_MAX_DEPTH = 60
_MAX_BITS = 4_000


def parse_expression(text: str) -> ast.expr | None:
    """The text as one Python expression, or None."""
    text = text.strip()
    if not text or len(text) > MAX_EXPRESSION_CHARACTERS:
        return None
    node = expression_or_none(text)
    return node if node is not None and _is_tame([node]) else None


def parse_statements(text: str) -> list[ast.stmt] | None:
    """The text as Python statements, or None."""
    if len(text) > MAX_EXPRESSION_CHARACTERS:
        return None
    tree = parsed_or_none(text)
    return tree.body if tree and _is_tame(tree.body) else None


def _is_tame(nodes: Sequence[ast.AST]) -> bool:
    """Whether the code can be walked and written out again: hostile texts nest deep and hold huge numbers."""
    if any(nests_deeper(node, _MAX_DEPTH) for node in nodes):
        return False
    numbers = (part.value for node in nodes for part in ast.walk(node) if isinstance(part, ast.Constant))
    return all(not isinstance(value, int) or value.bit_length() <= _MAX_BITS for value in numbers)


def literals_in(tree: ast.AST) -> Iterator[str | int | float]:
    """Its texts and numbers; no long ones, which inputs do not hold."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=bool()):
                continue
            case ast.Constant(value=str() | int() | float() as value) if len(repr(value)) <= _LITERAL_CHARACTERS:
                yield value
            case _:
                continue


def bound_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that the code itself binds: assignments, loop variables, arguments, definitions, imports."""
    names: set[str] = set()
    for node in (one for tree in nodes for one in ast.walk(tree)):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)):
                names.add(name)
            case _:
                pass
    return names


def free_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that the code reads and does not bind itself."""
    nodes = list(nodes)
    free = _read(nodes) - bound_names(nodes)
    for at, tree in enumerate(nodes):
        if isinstance(tree, ast.Assign):  # `item = item(3)` reads what it hides from then on
            free |= (_read([tree.value]) & bound_names(tree.targets)) - bound_names([*nodes[:at], tree.value])
    return free


def _read(nodes: Iterable[ast.AST]) -> set[str]:
    parts = (one for tree in nodes for one in ast.walk(tree))
    return {node.id for node in parts if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def substituted(node: ast.AST, names: Mapping[str, ast.expr]) -> Any:
    """The code, of which some of the names that it reads are replaced by expressions."""
    return _Substituting(names).visit(copy.deepcopy(node))


class _Substituting(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, ast.expr]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        found = self._names.get(node.id) if isinstance(node.ctx, ast.Load) else None
        return copy.deepcopy(found) if found is not None else node


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` for an attribute chain on a plain name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute):
            base = dotted(value)
            return f"{base}.{attribute}" if base else None
        case _:
            return None


def conjuncts(node: ast.expr) -> list[ast.expr]:
    """The parts of `a and b and c`; a chained comparison counts as its links."""
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            return [part for value in values for part in conjuncts(value)]
        case ast.Compare(left=left, ops=ops, comparators=comparators) if len(ops) > 1:
            sides = [left, *comparators]
            return [ast.Compare(left=sides[i], ops=[op], comparators=[sides[i + 1]]) for i, op in enumerate(ops)]
        case _:
            return [node]
