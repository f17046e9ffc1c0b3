"""Whether a function looks for attributes on its arguments that no plain data has: a node's `.next`, a tree's `.left`.

Problem statements write such an argument as a list (`Input: head = [1, 2]`), which is no call that could be made.
"""

import ast
from collections.abc import Iterable, Iterator
from typing import Final

_PLAIN: Final = frozenset(
    name for kind in (str, bytes, int, float, complex, list, tuple, dict, set, frozenset) for name in dir(kind)
)


def wants_objects(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether an attribute is read of an argument, or of what was reached from one, that plain data lacks."""
    arguments = node.args
    reached = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)} - {"self", "cls"}
    while more := set(_reached_from(node, reached)) - reached:
        reached |= more
    return any(
        isinstance(inner, ast.Attribute)
        and isinstance(inner.ctx, ast.Load)
        and inner.attr not in _PLAIN
        and isinstance(inner.value, ast.Name | ast.Subscript | ast.Attribute)
        and _root(inner.value) in reached
        for inner in ast.walk(node)
    )


def _reached_from(node: ast.AST, names: set[str]) -> Iterator[str]:
    """Names bound to something that is taken from these without a call."""
    for inner in ast.walk(node):
        match inner:
            case ast.Assign(targets=targets, value=value) if _mentions(value, names):
                yield from _bound(targets)
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value) if _mentions(
                value, names
            ):
                yield from _bound([target])
            case _:
                continue


def _mentions(value: ast.expr, names: set[str]) -> bool:
    parts = list(ast.walk(value))
    called = any(isinstance(part, ast.Call) for part in parts)
    return not called and any(isinstance(part, ast.Name) and part.id in names for part in parts)


def _bound(targets: Iterable[ast.expr]) -> Iterator[str]:
    return (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
