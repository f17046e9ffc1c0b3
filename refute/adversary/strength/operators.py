"""What a mutant changes: the operators that mutmut and cosmic-ray use, one node at a time.

Sources: https://github.com/boxed/mutmut and https://cosmic-ray.readthedocs.io (operators), 2026-11-22. Written anew on
`ast`, since both libraries keep their operators internal and run the tests themselves, in the host's process.
"""

import ast
from collections.abc import Callable, Iterator
from typing import Final

from refute.python_syntax import parse_python

COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
BOUNDARIES: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
MARK: Final = "XX"

Change = tuple[str, ast.AST]
"""What was done, in words, and the node in the place of the old one."""


def changes(node: ast.AST) -> Iterator[Change]:
    """Every change that the operators make to one node itself; nodes below it are asked on their own."""
    for kind, change in _BY_KIND.items():
        if isinstance(node, kind):
            yield from change(node)


def _compare(node: ast.Compare) -> Iterator[Change]:
    for at, operator in enumerate(node.ops):
        other = COMPARISONS[type(operator)]()
        ops = [*node.ops[:at], other, *node.ops[at + 1 :]]
        yield f"{_sign(operator)} → {_sign(other)}", ast.Compare(node.left, ops, node.comparators)


def _binary(node: ast.BinOp) -> Iterator[Change]:
    other = ARITHMETIC.get(type(node.op))
    if other is not None:
        yield f"{_sign(node.op)} → {_sign(other())}", ast.BinOp(node.left, other(), node.right)


def _augmented(node: ast.AugAssign) -> Iterator[Change]:
    other = ARITHMETIC.get(type(node.op))
    if other is not None:
        yield f"{_sign(node.op)}= → {_sign(other())}=", ast.AugAssign(node.target, other(), node.value)
    target = parse_python(ast.unparse(node.target), mode="eval").body
    target.ctx = ast.Store()  # type: ignore[attr-defined]
    yield f"{_sign(node.op)}= → =", ast.Assign([target], node.value)


def _boolean(node: ast.BoolOp) -> Iterator[Change]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield f"{_sign(node.op)} → {_sign(other)}", ast.BoolOp(other, node.values)


def _unary(node: ast.UnaryOp) -> Iterator[Change]:
    if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield f"{_sign(node.op)} removed", node.operand


def _condition(node: ast.If | ast.While | ast.IfExp) -> Iterator[Change]:
    negated = ast.UnaryOp(ast.Not(), node.test)
    if isinstance(node, ast.IfExp):
        yield "condition negated", ast.IfExp(negated, node.body, node.orelse)
    elif isinstance(node, ast.If):
        yield "condition negated", ast.If(negated, node.body, node.orelse)


def _constant(node: ast.Constant) -> Iterator[Change]:
    match node.value:
        case bool(value):
            yield f"{value} → {not value}", ast.Constant(not value)
        case int(value) | float(value):
            yield f"{value} → {value + 1}", ast.Constant(value + 1)
        case str(value):
            yield f"{value[:20]!r} changed", ast.Constant(f"{MARK}{value}{MARK}")
        case _:
            return


def _return(node: ast.Return) -> Iterator[Change]:
    if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
        yield "returns None", ast.Return(ast.Constant(None))


def _assign(node: ast.Assign) -> Iterator[Change]:
    if not (isinstance(node.value, ast.Constant) and node.value.value is None):
        yield "None assigned", ast.Assign(node.targets, ast.Constant(None))


def _jump(node: ast.Break | ast.Continue) -> Iterator[Change]:
    if isinstance(node, ast.Break):
        yield "break → continue", ast.Continue()
    else:
        yield "continue → break", ast.Break()


def _effect(node: ast.Expr) -> Iterator[Change]:
    if isinstance(node.value, ast.Call | ast.Await):
        yield "call removed", ast.Pass()


def _sign(operator: ast.AST) -> str:
    match operator:
        case ast.cmpop():
            return ast.unparse(ast.Compare(ast.Name("a"), [operator], [ast.Name("b")]))[2:-2]
        case ast.operator():
            return ast.unparse(ast.BinOp(ast.Name("a"), operator, ast.Name("b")))[2:-2]
        case ast.boolop():
            return "and" if isinstance(operator, ast.And) else "or"
        case _:
            return {"Not": "not", "USub": "-", "Invert": "~"}[type(operator).__name__]


def suspicion(site: ast.AST, parent: ast.AST | None) -> str:
    """Why a change of a node may make no difference; empty where nothing suggests it. Told, never left out.

    `if a < b: b = a` and `a if a < b else b` give the same for equal values, whichever is taken.
    """
    if not (isinstance(site, ast.Compare) and len(site.ops) == 1 and isinstance(site.ops[0], BOUNDARIES)):
        return ""
    match parent:
        case ast.IfExp(test=tested, body=one, orelse=other) if tested is site:
            taken = {ast.unparse(one), ast.unparse(other)}
        case ast.If(test=tested, body=[ast.Assign(targets=[one], value=other)], orelse=[]) if tested is site:
            taken = {ast.unparse(one), ast.unparse(other)}
        case _:
            return ""
    both = {ast.unparse(site.left), ast.unparse(site.comparators[0])}
    return "where both sides are equal, either choice is the same" if taken == both else ""


_BY_KIND: Final[dict[type[ast.AST] | tuple[type[ast.AST], ...], Callable[..., Iterator[Change]]]] = {
    ast.Compare: _compare,
    ast.BinOp: _binary,
    ast.AugAssign: _augmented,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    (ast.If, ast.IfExp): _condition,
    ast.Constant: _constant,
    ast.Return: _return,
    ast.Assign: _assign,
    (ast.Break, ast.Continue): _jump,
    ast.Expr: _effect,
}
