"""Preconditions that a strategy can obey by itself: `1 <= n <= 100`, `len(xs) > 0`, `xs == sorted(xs)`.

Whatever is not understood here stays an `assume(…)`: obeyed too, only by trying again.
"""

import ast
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from refute.adversary.property.domain import Domain, Number
from refute.adversary.property.expressions import conjuncts, is_call_of, source_of

_FLIPPED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
}
_SIZED: Final = frozenset({"list", "str", "set", "frozenset", "dict", "bytes"})
_MOST: Final = 50
"""Items that are drawn at most."""


def absorb(domains: dict[str, Domain], conditions: Iterable[ast.expr]) -> tuple[dict[str, Domain], list[ast.expr]]:
    """Narrow the domains by the conditions.

    Returns:
        The narrowed domains, and the conditions that remain to be assumed.
    """
    left: list[ast.expr] = []
    for condition in [part for whole in conditions for part in conjuncts(whole)]:
        changed = _narrowed(domains, condition)
        if changed is None or any(domain.is_void for domain in changed.values()):
            left.append(condition)
        else:
            domains = changed
    return domains, left


def _narrowed(domains: dict[str, Domain], condition: ast.expr) -> dict[str, Domain] | None:
    match condition:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            ordered = _ordered(domains, left, right) if isinstance(op, ast.Eq) else None
            return ordered or _bounded(domains, left, op, right)
        case ast.Call(
            args=[
                ast.GeneratorExp(
                    elt=ast.Compare(left=tested, ops=[ast.In()], comparators=[ast.Constant(value=str(letters))]),
                    generators=[ast.comprehension(target=target, iter=ast.Name(id=name), ifs=[])],
                )
            ]
        ) if is_call_of(condition) == "all" and letters and name in domains and domains[name].kind == "str":
            alike = source_of(tested) == source_of(target)
            return {**domains, name: replace(domains[name], code=repr(letters))} if alike else None
        case ast.Call(
            args=[
                ast.GeneratorExp(
                    elt=test,
                    generators=[ast.comprehension(target=ast.Name(id=item), iter=ast.Name(id=name), ifs=[])],
                )
            ]
        ) if is_call_of(condition) == "all" and name in domains and len(domains[name].items) == 1:
            inner, others = absorb({item: domains[name].items[0]}, [test])
            return None if others else {**domains, name: replace(domains[name], items=(inner[item],))}
        case _:
            return None


def _ordered(domains: dict[str, Domain], left: ast.expr, right: ast.expr) -> dict[str, Domain] | None:
    sides = {source_of(left), source_of(right)}
    for name, domain in domains.items():
        plain = domain.kind == "list" and not domain.items[0].mutable
        if plain and sides in ({name, f"sorted({name})"}, {f"list({name})", f"sorted({name})"}):
            return {**domains, name: replace(domain, ordered=True)}
    return None


def _bounded(domains: dict[str, Domain], left: ast.expr, op: ast.cmpop, right: ast.expr) -> dict[str, Domain] | None:
    for subject, order, other in ((left, type(op), right), (right, _FLIPPED.get(type(op)), left)):
        bound = number(other)
        if bound is None or order not in _FLIPPED:
            continue
        match subject:
            case ast.Name(id=name) if name in domains:
                return _with_bound(domains, name, order, bound)
            case ast.Call(args=[ast.Name(id=name)]) if is_call_of(subject) == "len" and name in domains:
                return _with_size(domains, name, order, bound)
    return None


def _with_bound(
    domains: dict[str, Domain], name: str, order: type[ast.cmpop], bound: Number
) -> dict[str, Domain] | None:
    domain = domains[name]
    if domain.kind not in {"int", "float"} or (domain.kind == "float" and order in {ast.Lt, ast.Gt, ast.Eq}):
        return None
    low, high = _interval(order, bound) if domain.kind == "int" else _closed(order, bound)
    lows = [one for one in (domain.minimum, low) if one is not None]
    highs = [one for one in (domain.maximum, high) if one is not None]
    return {**domains, name: replace(domain, minimum=max(lows, default=None), maximum=min(highs, default=None))}


def _closed(order: type[ast.cmpop], bound: Number) -> tuple[Number | None, Number | None]:
    return (bound, None) if order is ast.GtE else (None, bound)


def _interval(order: type[ast.cmpop], bound: Number) -> tuple[int | None, int | None]:
    """The whole numbers that a comparison allows; None: without end."""
    low, high = math.ceil(bound), math.floor(bound)
    if order is ast.Eq:
        return low, high
    if order in {ast.GtE, ast.Gt}:
        return (low + (order is ast.Gt and low == bound)), None
    return None, high - (order is ast.Lt and high == bound)


def _with_size(
    domains: dict[str, Domain], name: str, order: type[ast.cmpop], bound: Number
) -> dict[str, Domain] | None:
    domain = domains[name]
    low, high = _interval(order, bound)
    least = max(domain.min_size, low or 0)
    most = min(_MOST, *(one for one in (domain.max_size, high) if one is not None), _MOST)
    if domain.kind not in _SIZED or most < least:
        return None
    unlimited = high is None and domain.max_size is None
    return {**domains, name: replace(domain, min_size=least, max_size=None if unlimited else most)}


def number(node: ast.expr) -> Number | None:
    """A literal number, negative ones and powers too."""
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = number(operand)
            return None if inner is None else -inner
        case ast.BinOp(left=ast.Constant(value=int(base)), op=ast.Pow(), right=ast.Constant(value=int(exponent))):
            return base**exponent if abs(base) <= 10 and 0 <= exponent <= 30 else None  # noqa: PLR2004  # bounded cost
        case _:
            return None
