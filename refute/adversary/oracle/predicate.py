"""Predicates that voters answer with (`len(result) >= 5`): read as data and worked out here, never executed as code."""

import ast
import operator
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final

from refute.adversary.oracle.shown import RESULT
from refute.python_syntax import COMPARISONS, expression_or_none

FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    one.__name__: one for one in (abs, all, any, bool, len, list, max, min, set, sorted, sum, tuple)
}
TYPES: Final[Mapping[str, type]] = {
    one.__name__: one for one in (bool, bytes, dict, float, frozenset, int, list, set, str, tuple)
}
DECIDING: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    **COMPARISONS,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
ARITHMETIC: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
}
"""Nothing with which a short text makes a huge value."""


def holds(predicate: str, value: Any) -> bool | None:
    """Whether a predicate over `result` holds for a plain value; None where it cannot be worked out.

    Args:
        predicate: an expression of literals, comparisons, `and`, `or`, `not`, `+`, `-`, indices and plain functions.
        value: what `result` stands for.
    """
    node = expression_or_none(predicate)
    try:
        return None if node is None else bool(_Reader(value).visit(node))
    except (TypeError, ValueError, KeyError, IndexError, RecursionError, OverflowError):
        return None


class _Reader(ast.NodeVisitor):
    """Works out an expression about one value."""

    def __init__(self, result: Any) -> None:
        self._result = result

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id != RESULT:
            raise ValueError(f"only `{RESULT}` has a value, not {node.id}")
        return self._result

    def visit_BoolOp(self, node: ast.BoolOp) -> bool:
        told = (bool(self.visit(part)) for part in node.values)
        return all(told) if isinstance(node.op, ast.And) else any(told)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        return not self.visit(node.operand) if isinstance(node.op, ast.Not) else ast.literal_eval(node)

    def visit_Compare(self, node: ast.Compare) -> bool:
        sides = [self.visit(one) for one in (node.left, *node.comparators)]
        return all(DECIDING[type(op)](*pair) for op, pair in zip(node.ops, pairwise(sides), strict=True))

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        return ARITHMETIC[type(node.op)](self.visit(node.left), self.visit(node.right))

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        return self.visit(node.value)[self.visit(node.slice)]

    def visit_Call(self, node: ast.Call) -> Any:
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[of, ast.Name(id=kind)], keywords=[]):
                return isinstance(self.visit(of), TYPES[kind])
            case ast.Call(func=ast.Name(id=name), args=given, keywords=[]):
                return FUNCTIONS[name](*map(self.visit, given))
        raise ValueError("a call that is no plain one")

    def generic_visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.expr):
            raise TypeError("no expression")
        return ast.literal_eval(node)
