"""What `given` and `assume` say of variables, as Hypothesis strategies."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from refute.adversary.property.arguments import is_pure
from refute.adversary.property.calls import may_call
from refute.adversary.property.dependence import MAX_SEEDS
from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import conjuncts, free_names, literals_in, parse_expression
from refute.adversary.property.generator import around, farthest, sampled
from refute.adversary.property.kinds import Kind, kind_of
from refute.adversary.property.namespace import ONLY_SAFE_BUILTINS
from refute.adversary.property.surface import Surface

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
        return f"got {text!r}, which is no Python expression"
    if free_names([node]) & {"st", "strategies"}:
        if not is_pure(node, ("st", "strategies")):
            return f"the strategy {text!r} uses more than `st`, literals and harmless builtins"
        return Kind(name="strategy", code=ast.unparse(node).replace("strategies.", "st."))
    expected = "a type that values can be drawn for (`int`, `list[str]`), or a strategy (`st.integers(0, 9)`)"
    return kind_of(node, bare=True) or f"got {text!r}, expected {expected}"


def drawn(
    kinds: Mapping[str, Kind],
    conditions: Iterable[ast.expr],
    *,
    small: bool,
    also: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Given, list[ast.expr]]:
    """Strategies of variables under conditions.

    What is said of one variable alone filters its strategy: Hypothesis then draws within the bounds.

    Args:
        kinds: of the variables.
        conditions: what is assumed of them.
        small: see `Kind.strategy`.
        also: another strategy of some variables.

    Returns:
        Variable → strategy, and the conditions that remain to be assumed.
    """
    left = [part for whole in conditions for part in conjuncts(whole)]
    given: list[tuple[str, str]] = []
    for name, kind in kinds.items():
        own = [one for one in left if free_names([one]) - ONLY_SAFE_BUILTINS == {name}]
        left = [one for one in left if one not in own]
        limit, behind = _within(name, own)
        strategy = kind.strategy(small=small, limit=limit)
        strategy = f"st.one_of({strategy}, {also[name]})" if name in also else strategy
        given.append((name, strategy + behind))
    return tuple(given), left


def _within(name: str, conditions: Iterable[ast.expr]) -> tuple[int, str]:
    """How far the conditions of a variable reach, and what stands behind its strategy."""
    limit, behind = 0, ""
    for condition in conditions:
        limit = max(limit, *map(_size, ast.walk(condition)))
        code = ast.unparse(condition)
        if code in {f"{name} == sorted({name})", f"list({name}) == sorted({name})"}:
            behind = f".map(sorted){behind}"
        else:
            behind += f".filter(lambda {name}: {code})"
    return limit, behind


def _size(node: ast.AST) -> int:
    match node:
        case ast.Constant(value=int() | float() as value):
            return int(min(abs(value), _MOST))
        case _:
            return 0


def beside_drawn(
    kinds: Mapping[str, Kind], code: Sequence[ast.expr], surface: Surface, published: Sequence[ast.Call]
) -> dict[str, str]:
    """Variable → a strategy of what a law tries of it beside its type: values that stand in code, and near those.

    Args:
        kinds: variable → its type; one that is drawn by a strategy has no others.
        code: of the law and what it assumes.
        surface: the functions that it may call.
        published: calls in examples.
    """
    called = [node for tree in code for node in ast.walk(tree) if isinstance(node, ast.Call)]
    functions = [one for one in surface.callables() if any(may_call(call, one, surface) for call in called)]
    shown = (call for call in published if any(may_call(call, one, surface) for one in functions))
    passed = [node.value for call in shown for node in ast.walk(call) if isinstance(node, ast.Constant)]
    stated = [*(value for tree in code for value in literals_in(tree)), *passed[:MAX_SEEDS]]
    most = farthest(functions, stated)
    hints = [*stated, *(value for function in functions for value in function.does.seeds)]
    tried = {name: around(kind, hints, most) for name, kind in kinds.items()}
    return {name: sampled(values) for name, values in tried.items() if values}
