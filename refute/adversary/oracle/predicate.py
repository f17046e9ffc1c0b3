"""Predicates that voters answer with (`len(result) >= 5`): read as data and worked out here, never executed as code."""

import ast
import operator
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final

from refute.adversary.oracle.question import RESULT
from refute.python_syntax import COMPARISONS, expression_or_none

FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    one.__name__: one for one in (abs, all, any, bool, isinstance, len, list, max, min, set, sorted, sum, tuple)
}
NAMES: Final[Mapping[str, Any]] = {
    **FUNCTIONS,
    **{one.__name__: one for one in (bytes, dict, float, frozenset, int, str)},
}
OPERATORS: Final[Mapping[Any, Callable[..., Any]]] = {
    **COMPARISONS,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
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
        return None if node is None else bool(_worked_out(node, {**NAMES, RESULT: value}))
    except (TypeError, ValueError, KeyError, IndexError, RecursionError, OverflowError):
        return None


def _worked_out(node: ast.expr, names: Mapping[str, Any]) -> Any:  # noqa: PLR0911  # one case for each kind
    def of(*nodes: ast.expr) -> list[Any]:
        return [_worked_out(one, names) for one in nodes]

    match node:
        case ast.Name(id=name):
            return names[name]
        case ast.BoolOp(op=op, values=values):
            told = (_worked_out(one, names) for one in values)
            return all(told) if isinstance(op, ast.And) else any(told)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _worked_out(operand, names)
        case ast.Compare(left=left, ops=ops, comparators=others):
            return all(OPERATORS[type(op)](*pair) for op, pair in zip(ops, pairwise(of(left, *others)), strict=True))
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](*of(left, right))
        case ast.Subscript(value=owner, slice=place):
            return operator.getitem(*of(owner, place))
        case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*of(*given))
    return ast.literal_eval(node)
