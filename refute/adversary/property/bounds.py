"""Preconditions that a strategy can obey by itself: `1 <= n <= 100`, `len(xs) > 0`, `xs == sorted(xs)`.

Whatever is not understood here stays an `assume(…)`: obeyed too, only by trying again.
"""

import ast
import operator
from collections.abc import Callable, Iterable
from dataclasses import replace

from refute.adversary.property.domain import Domain, Number
from refute.adversary.property.expressions import conjuncts, is_call_of, source_of

_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
}


def absorb(domains: dict[str, Domain], conditions: Iterable[ast.expr]) -> tuple[dict[str, Domain], list[ast.expr]]:
    """Narrow the domains by the conditions.

    Returns:
        The narrowed domains, and the conditions that remain to be assumed.
    """
    left: list[ast.expr] = []
    for condition in [part for whole in conditions for part in conjuncts(whole)]:
        domains, rest = _absorbed(domains, condition)
        left += rest
    return domains, left


def _absorbed(domains: dict[str, Domain], condition: ast.expr) -> tuple[dict[str, Domain], list[ast.expr]]:
    changed: dict[str, Domain] | None = None
    match condition:
        case ast.Name(id=name) if name in domains and domains[name].kind in {"list", "str", "set", "dict"}:
            changed = _with_size(domains, name, ast.GtE(), 1)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            changed = _compared(domains, left, op, right)
        case ast.Call(args=[ast.GeneratorExp(elt=test, generators=[loop])]) if is_call_of(condition) == "all":
            return _each(domains, condition, test, loop)
        case _:
            pass
    if changed is None or any(domain.is_void for domain in changed.values()):
        return domains, [condition]
    return changed, []


def _compared(domains: dict[str, Domain], left: ast.expr, op: ast.cmpop, right: ast.expr) -> dict[str, Domain] | None:
    if isinstance(op, ast.In):
        return _among(domains, left, right)
    special = _sorted_or_unique(domains, left, op, right)
    if special is not None:
        return special
    for subject, order, other in ((left, op, right), (right, flip(op), left)):
        bound = number(other)
        if bound is None or order is None:
            continue
        if isinstance(subject, ast.Name) and subject.id in domains:
            return _with_bound(domains, subject.id, order, bound)
        if is_call_of(subject) == "len" and isinstance(subject, ast.Call) and len(subject.args) == 1:
            name = source_of(subject.args[0])
            return _with_size(domains, name, order, bound) if name in domains else None
    return None


def flip(op: ast.cmpop) -> ast.cmpop | None:
    """The operator for swapped sides: `<` for `>`."""
    flipped = _FLIPPED.get(type(op))
    return flipped() if flipped else None


def _sorted_or_unique(
    domains: dict[str, Domain], left: ast.expr, op: ast.cmpop, right: ast.expr
) -> dict[str, Domain] | None:
    if not isinstance(op, ast.Eq):
        return None
    sides = {source_of(left), source_of(right)}
    for name, domain in domains.items():
        if domain.kind != "list" or any(item.mutable for item in domain.items):
            continue
        if sides in ({name, f"sorted({name})"}, {f"list({name})", f"sorted({name})"}):
            return {**domains, name: replace(domain, ordered=True)}
        if sides == {f"len({name})", f"len(set({name}))"}:
            return {**domains, name: replace(domain, unique=True)}
    return None


def _among(domains: dict[str, Domain], left: ast.expr, right: ast.expr) -> dict[str, Domain] | None:
    if not isinstance(left, ast.Name) or left.id not in domains:
        return None
    if isinstance(right, ast.List | ast.Tuple | ast.Set) and right.elts:
        if all(isinstance(item, ast.Constant) or number(item) is not None for item in right.elts):
            return {**domains, left.id: Domain(kind="one of", code=f"[{', '.join(map(source_of, right.elts))}]")}
        return None
    if isinstance(right, ast.Call) and is_call_of(right) == "range" and domains[left.id].kind == "int":
        ends = [number(argument) for argument in right.args]
        if len(ends) in {1, 2} and all(isinstance(end, int) for end in ends):
            low, high = (0, ends[0]) if len(ends) == 1 else (ends[0], ends[1])
            after = _with_bound(domains, left.id, ast.GtE(), low or 0)
            return _with_bound(after, left.id, ast.Lt(), high or 0) if after else None
    return None


def _each(
    domains: dict[str, Domain], condition: ast.expr, test: ast.expr, loop: ast.comprehension
) -> tuple[dict[str, Domain], list[ast.expr]]:
    """`all(0 <= x < 10 for x in xs)`: the bounds of the elements; what is left stays an `all(…)` each."""
    name, variable = source_of(loop.iter), source_of(loop.target)
    match test:
        case ast.Compare(left=ast.Name(id=tested), ops=[ast.In()], comparators=[ast.Constant(value=str(letters))]):
            if tested == variable and letters and name in domains and domains[name].kind == "str" and not loop.ifs:
                return {**domains, name: replace(domains[name], code=repr(letters))}, []
        case _:
            pass
    if loop.ifs or name not in domains or len(domains[name].items) != 1:
        return domains, [condition]
    inner, left = absorb({variable: domains[name].items[0]}, [test])
    rest: list[ast.expr] = []
    for part in left:
        whole = ast.GeneratorExp(elt=part, generators=[loop])
        rest.append(ast.Call(func=ast.Name(id="all", ctx=ast.Load()), args=[whole], keywords=[]))
    return {**domains, name: replace(domains[name], items=(inner[variable],))}, rest


def _with_bound(domains: dict[str, Domain], name: str, op: ast.cmpop, bound: Number) -> dict[str, Domain] | None:
    domain = domains[name]
    if domain.kind == "float":
        return _with_float_bound(domains, name, op, bound)
    if domain.kind != "int":
        return None
    low, high = domain.minimum, domain.maximum
    whole = int(bound)
    match op:
        case ast.GtE():
            low = _tighter(max, low, whole if whole == bound or bound < 0 else whole + 1)
        case ast.Gt():
            low = _tighter(max, low, whole + 1 if bound >= 0 or whole == bound else whole)
        case ast.LtE():
            high = _tighter(min, high, whole if bound >= 0 or whole == bound else whole - 1)
        case ast.Lt():
            high = _tighter(min, high, whole - 1 if whole == bound or bound < 0 else whole)
        case ast.Eq():
            low = high = whole
        case _:
            return None
    return {**domains, name: replace(domain, minimum=low, maximum=high)}


def _with_float_bound(domains: dict[str, Domain], name: str, op: ast.cmpop, bound: Number) -> dict[str, Domain] | None:
    """Closed bounds only; an open one narrows too, but stays an assumption (None)."""
    domain = domains[name]
    match op:
        case ast.GtE():
            return {**domains, name: replace(domain, minimum=_tighter(max, domain.minimum, bound))}
        case ast.LtE():
            return {**domains, name: replace(domain, maximum=_tighter(min, domain.maximum, bound))}
        case _:
            return None


def _tighter(choose: Callable[[Number, Number], Number], old: Number | None, new: Number) -> Number:
    return new if old is None else choose(old, new)


def _with_size(domains: dict[str, Domain], name: str, op: ast.cmpop, bound: Number) -> dict[str, Domain] | None:
    domain = domains[name]
    size = operator.index(bound) if isinstance(bound, int) else None
    if size is None or domain.kind not in {"list", "str", "set", "frozenset", "dict", "bytes"}:
        return None
    low, high = domain.min_size, domain.max_size
    match op:
        case ast.GtE():
            low = max(low, size)
        case ast.Gt():
            low = max(low, size + 1)
        case ast.LtE():
            high = size if high is None else min(high, size)
        case ast.Lt():
            high = size - 1 if high is None else min(high, size - 1)
        case ast.Eq():
            low = high = size
        case _:
            return None
    if low < 0 or (high is not None and high < low) or low > 50 or (high or 0) > 1000:  # noqa: PLR2004  # not drawable
        return None
    return {**domains, name: replace(domain, min_size=low, max_size=None if high is None else min(high, 50))}


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
