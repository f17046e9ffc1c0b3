"""What `given` and `assume` say of variables, as Hypothesis strategies."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import conjuncts, free_names, parse_expression
from refute.adversary.property.kinds import Kind, kind_of
from refute.adversary.property.namespace import ONLY_SAFE_BUILTINS

Given = tuple[tuple[str, str], ...]
"""Variable → strategy as Python."""
_MOST: Final = 10**12
"""How far a literal of a condition widens what is drawn."""


def given_kinds(given: Mapping[str, str]) -> dict[str, Kind]:
    """What the entries of `given` stand for: types, or Hypothesis expressions (`st.integers(0, 9)`).

    Raises:
        NotTested: which entry is refused, and why.
    """
    found: dict[str, Kind] = {}
    for variable, text in given.items():
        kind = _of_author(text)
        if isinstance(kind, str) or not variable.isidentifier():
            raise NotTested(f"given {variable}: {kind}")
        found[variable] = kind
    return found


def _of_author(text: str) -> Kind | str:
    node = parse_expression(text)
    if node is None:
        return f"{text!r} is neither a type nor a strategy expression"
    if free_names([node]) & {"st", "strategies"}:
        refused = _refused_in_strategy(node)
        return refused or Kind(name="strategy", code=ast.unparse(node).replace("strategies.", "st."))
    return kind_of(node, bare=True) or f"{text!r} is no type that values can be drawn for"


def _refused_in_strategy(node: ast.expr) -> str:
    """Only calls on `st`, literals, lambdas and harmless builtins: a strategy has no other business."""
    bound = {argument.arg for inner in ast.walk(node) if isinstance(inner, ast.Lambda) for argument in inner.args.args}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id not in {"st", "strategies"} | bound | ONLY_SAFE_BUILTINS:
            return f"the strategy {ast.unparse(node)!r} uses `{inner.id}`"
        if isinstance(inner, ast.Attribute) and inner.attr.startswith("_"):
            return f"the strategy {ast.unparse(node)!r} uses the private `{inner.attr}`"
        if isinstance(inner, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            return f"the strategy {ast.unparse(node)!r} is more than an expression"
    return ""


def drawn(
    kinds: Mapping[str, Kind],
    conditions: Iterable[ast.expr],
    *,
    small: bool,
    beside: Mapping[str, Sequence[Any]] = MappingProxyType({}),
) -> tuple[Given, list[ast.expr]]:
    """Strategies of variables under conditions.

    What is said of one variable alone filters its strategy: Hypothesis then draws within the bounds.

    Args:
        kinds: of the variables.
        conditions: what is assumed of them.
        small: see `Kind.strategy`.
        beside: values of some variables that are tried too.

    Returns:
        Variable → strategy, and the conditions that remain to be assumed.
    """
    left = [part for whole in conditions for part in conjuncts(whole)]
    given: list[tuple[str, str]] = []
    for name, kind in kinds.items():
        own = [one for one in left if free_names([one]) - ONLY_SAFE_BUILTINS == {name}]
        left = [one for one in left if one not in own]
        strategy, behind = _filtered(name, kind, own, small=small)
        if beside.get(name):
            strategy = f"st.one_of({strategy}, st.sampled_from({[*beside[name]]!r}))"
        given.append((name, strategy + behind))
    return tuple(given), left


def _filtered(name: str, kind: Kind, conditions: Iterable[ast.expr], *, small: bool) -> tuple[str, str]:
    """The strategy of a kind within what its conditions say, and what stands behind it."""
    limit, behind = 0, ""
    for condition in conditions:
        limit = max(limit, *map(_size, ast.walk(condition)))
        code = ast.unparse(condition)
        if code in {f"{name} == sorted({name})", f"list({name}) == sorted({name})"}:
            behind = f".map(sorted){behind}"
        else:
            behind += f".filter(lambda {name}: {code})"
    return kind.strategy(small=small, limit=limit), behind


def _size(node: ast.AST) -> int:
    match node:
        case ast.Constant(value=int() | float() as value):
            return int(min(abs(value), _MOST))
        case _:
            return 0
