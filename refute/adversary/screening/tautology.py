"""Conditions that hold whatever the implementation does."""

import ast
from collections.abc import Sequence
from typing import Final

OPPOSITE: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    one: other
    for pair in ((ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn), (ast.Lt, ast.GtE), (ast.Gt, ast.LtE))
    for one, other in (pair, pair[::-1])
}

NEVER_NONE: Final = frozenset({"bool", "isinstance", "callable", "type", "id", "hasattr", "issubclass"})
"""Builtins that never give None, and never fail for what they are given."""


def always_true(condition: ast.expr, *, sameness: bool = False) -> bool:  # noqa: C901, PLR0911, PLR0912  # a case per kind
    """Whether a condition holds whatever the implementation does.

    Args:
        condition: of an assertion.
        sameness: comparing equal expressions says something.
    """
    match condition:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Tuple(elts=[_, *_]) | ast.List(elts=[_, *_]) | ast.Set() | ast.Dict(keys=[_, *_]):
            return True
        case ast.JoinedStr() | ast.Lambda() | ast.GeneratorExp():  # a generator is true before anything was asked
            return True
        case ast.NamedExpr(value=value):
            return always_true(value, sameness=sameness)
        case ast.IfExp(body=one, orelse=other):
            return always_true(one, sameness=sameness) and always_true(other, sameness=sameness)
        case ast.Subscript(value=ast.Tuple() | ast.List() as chosen, slice=ast.Constant(value=int() as place)):
            return place < len(chosen.elts) and always_true(chosen.elts[place], sameness=sameness)
        case ast.Call(func=ast.Name(id="any" | "all" as how), args=[ast.Tuple() | ast.List() | ast.Set() as several]):
            held = [always_true(one, sameness=sameness) for one in several.elts]
            return any(held) if how == "any" else all(held)
        case ast.BoolOp(op=ast.Or(), values=values):
            return _opposites(values) or any(always_true(value, sameness=sameness) for value in values)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(always_true(value, sameness=sameness) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=value)):
            return not value
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare() as compared):
            turned = _turned(compared)
            return turned is not None and always_true(turned, sameness=sameness)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _compares_nothing(left, operator, right, sameness=sameness)
        case ast.Call(func=ast.Name(id="isinstance"), args=[one, kinds]):
            return _any_kind(one, kinds)
    return False


def _compares_nothing(left: ast.expr, operator: ast.cmpop, right: ast.expr, *, sameness: bool) -> bool:
    if isinstance(operator, ast.Is) and any(isinstance(part, ast.Call) for part in ast.walk(left)):
        return False  # two calls may well give two objects
    if isinstance(operator, ast.IsNot | ast.NotEq) and _is_none(right) and _never_none(left):
        return True
    if isinstance(operator, ast.In) and isinstance(right, ast.Tuple | ast.List | ast.Set):
        same = any(ast.dump(left) == ast.dump(one) for one in right.elts)
        return (same and not sameness) or (_called(left) == "bool" and {True, False} <= set(map(_constant, right.elts)))
    if isinstance(operator, ast.Eq | ast.Is | ast.LtE | ast.GtE) and ast.dump(left) == ast.dump(right):
        return not sameness
    return _is_length_bound(left, operator, right)


def _is_length_bound(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool:
    """`len(x) >= 0`, `len(x) > -1`, and the same turned round."""
    if isinstance(operator, ast.LtE | ast.Lt) and _called(right) == "len":
        left, right = right, left
        operator = ast.GtE() if isinstance(operator, ast.LtE) else ast.Gt()
    bound = {ast.GtE: "0", ast.Gt: "-1"}.get(type(operator))
    return _called(left) == "len" and ast.unparse(right) == bound


def _any_kind(one: ast.expr, kinds: ast.expr) -> bool:
    """`isinstance(x, object)`, `isinstance(x, type(x))`."""
    named = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    return any(ast.unparse(kind) in {"object", f"type({ast.unparse(one)})"} for kind in named)


def _opposites(values: Sequence[ast.expr]) -> bool:
    """Whether two of these cannot both be false: `x > 0 or x <= 0`, `x or not x`."""
    said = {ast.dump(value) for value in values}
    for value in values:
        match value:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                opposite: ast.expr | None = operand
            case ast.Compare():
                opposite = _turned(value)
            case _:
                opposite = None
        if opposite is not None and ast.dump(opposite) in said:
            return True
    return False


def _turned(compared: ast.Compare) -> ast.Compare | None:
    """The comparison that holds where this one does not; of a chain there is none."""
    kind = OPPOSITE.get(type(compared.ops[0])) if len(compared.ops) == 1 else None
    return ast.Compare(left=compared.left, ops=[kind()], comparators=compared.comparators) if kind else None


def _called(node: ast.expr) -> str:
    """The plain name of what is called."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _constant(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _never_none(node: ast.expr) -> bool:
    """Whether an expression has a value that is not None, whatever is in it."""
    kinds = (ast.JoinedStr, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.Lambda)
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return isinstance(node, kinds) or negated or _called(node) in NEVER_NONE
