"""Conditions that list kinds of values: "for 0 and negative numbers" is either of them, never both."""

import ast
import itertools
import operator
import re
from collections.abc import Callable, Iterator, Mapping

from refute.adversary.property.domain import Domain
from refute.adversary.property.expressions import free_names, parse_expression

_NOUN = r"(?:numbers?|values?|integers?|ints?|floats?|inputs?|arguments?|amounts?|counts?)"
_NUMBER = r"-?\d+(?:\.\d+)?"
_ORDERS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
}
_KINDS = tuple(
    (re.compile(pattern, re.IGNORECASE), template)
    for pattern, template in (
        (rf"(?:the (?:number |value )?)?(?:(?P<a>{_NUMBER})|zero)", "{x} == {a}"),
        (rf"(?:any |all |every )?negative(?: {_NOUN})?", "{x} < 0"),
        (rf"(?:any |all |every )?positive(?: {_NOUN})?", "{x} > 0"),
        (
            rf"(?:any |all )?{_NOUN} (?:above|over|greater than|larger than|more than|beyond) (?P<a>{_NUMBER})",
            "{x} > {a}",
        ),
        (rf"(?:any |all )?{_NOUN} (?:below|under|less than|smaller than) (?P<a>{_NUMBER})", "{x} < {a}"),
        (
            (
                rf"(?:any |all )?{_NOUN} outside (?:of )?(?:the (?:range|interval) )?\[?(?P<a>{_NUMBER})"
                rf"(?:, ?|\.\.\.?| and | to |[-–])(?P<b>{_NUMBER})\]?"
            ),
            "not {a} <= {x} <= {b}",
        ),
    )
)


def kinds_of_values(text: str, domains: Mapping[str, Domain]) -> ast.expr | None:
    """What "0 and negative numbers" says of the only number among the variables, as Python; None for anything else.

    Args:
        text: what stands after "for"; at least one part must name a kind of values, not a property of one.
        domains: the variables.
    """
    numbers = [name for name, domain in domains.items() if domain.kind in {"int", "float"}]
    if len(domains) != 1 or len(numbers) != 1 or not re.search(rf"\b{_NOUN}\b", text, re.IGNORECASE):
        return None
    whole = _kind(text, numbers[0])
    parts = re.split(r", (?:and |or )?| and | or ", text.replace("`", ""))
    read = [whole] if whole is not None else [_kind(part.strip(), numbers[0]) for part in parts]
    known = [part for part in read if part is not None]
    if len(known) != len(read):
        return None
    return known[0] if len(known) == 1 else ast.BoolOp(op=ast.Or(), values=known)


def _kind(text: str, variable: str) -> ast.expr | None:
    for pattern, template in _KINDS:
        if hit := pattern.fullmatch(text):
            values = {name: value or "0" for name, value in hit.groupdict().items()}
            return parse_expression(template.format(x=variable, **values))
    return None


def either_side(condition: ast.expr) -> ast.expr:
    """`n < 1 and n > 3999` holds for nothing: whoever writes it means either."""
    match condition:
        case ast.BoolOp(op=ast.And(), values=values) if _contradict(values):
            return ast.BoolOp(op=ast.Or(), values=values)
        case _:
            return condition


def _contradict(parts: list[ast.expr]) -> bool:
    """Whether comparisons of one variable with numbers cannot hold together."""
    names = {name for part in parts for name in free_names([part])}
    plain = all(isinstance(part, ast.Compare) for part in parts)
    constants = [node.value for part in parts for node in ast.walk(part) if isinstance(node, ast.Constant)]
    numbers = [value for value in constants if isinstance(value, int | float)]
    calls = any(isinstance(node, ast.Call | ast.Attribute | ast.Subscript) for part in parts for node in ast.walk(part))
    if not plain or calls or len(names) != 1 or len(numbers) != len(constants) or not numbers:
        return False
    return not any(all(_holds(part, value) for part in parts) for value in _around(numbers))


def _around(numbers: list[int | float]) -> Iterator[float]:
    """Every place where such comparisons could change, and one between each two."""
    ordered = sorted({float(sign * number) for number in numbers for sign in (1, -1)})
    yield from (ordered[0] - 1, ordered[-1] + 1, *ordered)
    yield from ((low + high) / 2 for low, high in itertools.pairwise(ordered))


def _holds(part: ast.expr, value: float) -> bool:
    """A comparison of names and numbers, for a value of its only name."""
    match part:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            sides = [_number(side, value) for side in (left, *comparators)]
            return all(_compare(op, low, high) for op, low, high in zip(ops, sides, sides[1:], strict=False))
        case _:
            return True


def _number(node: ast.expr, value: float) -> float | None:
    match node:
        case ast.Name():
            return value
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -float(number)
        case _:
            return None


def _compare(op: ast.cmpop, low: float | None, high: float | None) -> bool:
    order = _ORDERS.get(type(op))
    return True if order is None or low is None or high is None else order(low, high)
