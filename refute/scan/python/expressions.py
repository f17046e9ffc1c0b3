"""Python expressions, one function per kind: what each yields."""

import ast
from collections.abc import Callable, Mapping
from itertools import islice, product
from types import MappingProxyType
from typing import Any, Final

from refute.python_syntax import COMPARISONS
from refute.scan.core.symbols import UNKNOWN, capped
from refute.scan.python import folding, names
from refute.scan.python.state import Walker
from refute.scan.python.values import (
    MAX_CHOICES,
    PROCESS,
    PROCESSES,
    UNK,
    Env,
    Function,
    PathValue,
    as_text,
    choose,
    is_constant,
    lift,
    options_of,
)

_MAX_ITEMS: Final = 4096
_MAX_ALL_ROUNDS: Final = 12_000


def evaluate(walker: Walker, node: ast.expr) -> Any:
    """Walk an expression and say what it yields."""
    evaluator = _EVALUATORS.get(type(node))
    return evaluator(walker, node) if evaluator is not None else _choice(walker, node)


def _choice(walker: Walker, node: ast.expr) -> Any:
    """Expressions that hand on what one of their parts yields."""
    match node:
        case ast.IfExp():
            walker.value(node.test)
            return choose([walker.value(node.body), walker.value(node.orelse)])
        case ast.BoolOp():
            return choose([walker.value(part) for part in node.values])
        case ast.FormattedValue() | ast.Await() | ast.Starred():
            return walker.value(node.value)
        case ast.Yield() | ast.YieldFrom():
            value = UNK if node.value is None else walker.value(node.value)
            items = names.iterated(value) if isinstance(node, ast.YieldFrom) else [value]
            walker.yielded.extend(items[:_MAX_ITEMS] if isinstance(items, list) else [UNK])
            return value
        case ast.Compare():
            return _compared(walker, node)
    return UNK


def _compared(walker: Walker, node: ast.Compare) -> Any:
    """One comparison of constants, as a comprehension's condition has it."""
    left, *others = [walker.value(part) for part in (node.left, *node.comparators)]
    compare = COMPARISONS.get(type(node.ops[0]))
    if len(others) > 1 or compare is None or not is_constant(left) or not is_constant(others[0]):
        return UNK
    try:
        return bool(compare(left, others[0]))
    except TypeError:
        return UNK


def _constant(_walker: Walker, node: ast.Constant) -> Any:
    return node.value if node.value is not Ellipsis else UNK


def _attribute(walker: Walker, node: ast.Attribute) -> Any:
    return lift(lambda owner: names.attribute(walker, owner, node.attr, node), walker.value(node.value))


def _operation(walker: Walker, node: ast.BinOp) -> Any:
    kind = type(node.op).__name__
    return lift(lambda a, b: join(kind, a, b), walker.value(node.left), walker.value(node.right))


def _collection(walker: Walker, node: ast.List | ast.Tuple | ast.Set) -> Any:
    items = _elements(walker, node.elts)
    return items if not isinstance(node, ast.Tuple) else tuple(items)


def _subscript(walker: Walker, node: ast.Subscript) -> Any:
    index = walker.value(node.slice)
    return lift(lambda owner: names.item(walker, owner, index, node), walker.value(node.value))


def _slice(walker: Walker, node: ast.Slice) -> Any:
    parts = [None if part is None else walker.value(part) for part in (node.lower, node.upper, node.step)]
    return slice(*parts) if all(part is None or isinstance(part, int) for part in parts) else UNK


def _named(walker: Walker, node: ast.NamedExpr) -> Any:
    value = walker.value(node.value)
    walker.bind(node.target, value)
    return value


def _lambda(walker: Walker, node: ast.Lambda) -> Any:
    function = Function(node, walker.env)
    walker.functions.append(function)
    return function


def _list_comprehension(walker: Walker, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Any:
    return _comprehension(walker, node.elt, node.generators)


def _dict_comprehension(walker: Walker, node: ast.DictComp) -> Any:
    _comprehension(walker, node.value, node.generators)
    return UNK


def join(kind: str, left: Any, right: Any) -> Any:
    """A binary operator, paths and texts with unknown parts included."""
    if kind == "Div" and (isinstance(left, PathValue) or isinstance(right, PathValue)):
        return names.join_paths(left, right)
    if (
        kind == "Add"
        and (isinstance(left, str) or isinstance(right, str))
        and not (isinstance(left, str) and isinstance(right, str))
    ):
        return capped(as_text(left) + as_text(right))
    if kind == "Mod" and isinstance(left, str) and not is_constant(right):
        return capped(names.percent(left, right))
    if kind == "Add" and isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return [*left, *right] if len(left) + len(right) <= _MAX_ITEMS else UNK
    return folding.binary(kind, left, right)


def _unary(walker: Walker, node: ast.UnaryOp) -> Any:
    value = walker.value(node.operand)
    if isinstance(value, int) and isinstance(node.op, ast.USub):
        return -value
    if isinstance(value, int) and isinstance(node.op, ast.Invert):
        return ~value
    return UNK


def _joined(walker: Walker, node: ast.JoinedStr) -> Any:
    parts = [walker.value(part) for part in node.values]
    return lift(lambda *row: capped("".join(map(as_text, row))), *parts)


def _elements(walker: Walker, nodes: list[ast.expr]) -> list[Any]:
    items: list[Any] = []
    for part in nodes:
        value = walker.value(part)
        if isinstance(part, ast.Starred) and isinstance(value, list | tuple):
            items.extend(value)
        else:
            items.append(value)
    return items


def _dict(walker: Walker, node: ast.Dict) -> Any:
    made: dict[Any, Any] = {}
    for key, item in zip(node.keys, node.values, strict=True):
        value = walker.value(item)
        if key is None:
            made.update(value if isinstance(value, dict) else {})
            continue
        name = walker.value(key)
        made[name if isinstance(name, str | int | bytes | bool | float) else UNKNOWN] = value
    return made


def _comprehension(walker: Walker, element: ast.expr, generators: list[ast.comprehension]) -> Any:
    outer, walker.env = walker.env, Env(walker.env)
    try:
        return _generate(walker, element, generators)
    finally:
        walker.env = outer


def _generate(walker: Walker, element: ast.expr, generators: list[ast.comprehension]) -> Any:
    if not generators:
        return [walker.value(element)]
    first, *rest = generators
    sequence = names.iterated(walker.value(first.iter))
    walker.rounds += len(sequence) if isinstance(sequence, list) else 0
    if not isinstance(sequence, list) or len(sequence) > _MAX_ITEMS // 2 or walker.rounds > _MAX_ALL_ROUNDS:
        walker.bind(first.target, choose(sequence[:MAX_CHOICES]) if isinstance(sequence, list) else sequence)
        for condition in first.ifs:
            walker.value(condition)
        inner = _generate(walker, element, rest)
        return inner if inner in ([PROCESS], [PROCESSES]) else UNK
    made: list[Any] = []
    conditions = [condition for condition in first.ifs if _names(condition) <= _names(first.target)]
    for condition in first.ifs if len(conditions) < len(first.ifs) else ():
        walker.value(condition)
    for item in sequence:
        walker.env.names.pop(first.target.id, None) if isinstance(first.target, ast.Name) else None
        walker.bind(first.target, item)
        if any(walker.value(condition) is False for condition in conditions):
            continue
        inner = _generate(walker, element, rest)
        made.extend(inner if isinstance(inner, list) else [UNK])
    return made


def _names(node: ast.expr) -> set[str]:
    """The names in an expression: a condition on nothing but the element itself is worked out for each."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _call(walker: Walker, node: ast.Call) -> Any:
    target = walker.value(node.func)
    arguments = _elements(walker, node.args)
    keywords: dict[str, Any] = {}
    for keyword in node.keywords:
        value = walker.value(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, dict):
            keywords.update({key: item for key, item in value.items() if isinstance(key, str)})
    results = []
    for each in options_of(target):
        rows = product(*map(options_of, arguments))
        for row in islice(rows, MAX_CHOICES):
            single = {key: options_of(value)[0] for key, value in keywords.items()}
            results.append(walker.call(each, list(row), single, node))
    return choose(results)


_EVALUATORS: Final[Mapping[type[ast.expr], Callable[[Walker, Any], Any]]] = MappingProxyType(
    {
        ast.Constant: _constant,
        ast.Name: lambda walker, node: walker.lookup(node.id),
        ast.Attribute: _attribute,
        ast.Call: _call,
        ast.BinOp: _operation,
        ast.JoinedStr: _joined,
        ast.List: _collection,
        ast.Tuple: _collection,
        ast.Set: _collection,
        ast.Dict: _dict,
        ast.Subscript: _subscript,
        ast.Slice: _slice,
        ast.NamedExpr: _named,
        ast.Lambda: _lambda,
        ast.ListComp: _list_comprehension,
        ast.GeneratorExp: _list_comprehension,
        ast.SetComp: _list_comprehension,
        ast.DictComp: _dict_comprehension,
        ast.UnaryOp: _unary,
    }
)
"""Kinds of expression, and what works them out; the rest hands on a part."""
