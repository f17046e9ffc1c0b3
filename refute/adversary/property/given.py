"""What `given` and `assume` say of variables, as Hypothesis strategies."""

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from refute.adversary.property.arguments import is_pure
from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import conjuncts, free_names, literals_in, parse_expression
from refute.adversary.property.generator import FAR, MAX_ROWS, USUAL_SIZE, farthest, may_call, within
from refute.adversary.property.kinds import SCALARS, SIZED, Kind, kind_of
from refute.adversary.property.mutation import near
from refute.adversary.property.namespace import ONLY_SAFE_BUILTINS
from refute.adversary.property.surface import Function, Surface

Given = tuple[tuple[str, str], ...]
"""Variable → strategy as Python."""
_BETWEEN: Final = ("a", "B", "1", " ")
"""What stands between the texts of code, where inputs are put together."""
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
    beside: Mapping[str, Sequence[str]] = MappingProxyType({}),
    told: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Given, list[ast.expr]]:
    """Strategies of variables under conditions.

    What is said of one variable alone filters its strategy: Hypothesis then draws within the bounds.

    Args:
        kinds: of the variables.
        conditions: what is assumed of them.
        small: see `Kind.strategy`.
        beside: more strategies of some variables.
        told: see `Kind.strategy`.

    Returns:
        Variable → strategy, and the conditions that remain to be assumed.
    """
    left = [part for whole in conditions for part in conjuncts(whole)]
    given: list[tuple[str, str]] = []
    for name, kind in kinds.items():
        own = [one for one in left if free_names([one]) - ONLY_SAFE_BUILTINS == {name}]
        left = [one for one in left if one not in own]
        limit, behind = _within(name, own)
        strategies = [kind.strategy(small=small, limit=limit, told=told), *beside.get(name, ())]
        strategy = f"st.one_of({', '.join(strategies)})" if strategies[1:] else strategies[0]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AlsoDrawn:
    """What a law tries beside what is drawn by the types alone, as Hypothesis strategies."""

    of_variables: Mapping[str, Sequence[str]]
    """Variable → plain values, what published calls pass in its place, and texts and lists of sizes that are named."""
    of_types: Mapping[str, str]
    """Type → values at and beside those that the law or the code names."""


def beside_drawn(
    kinds: Mapping[str, Kind], code: Sequence[ast.expr], surface: Surface, published: Sequence[ast.Call]
) -> AlsoDrawn:
    """More strategies for a law.

    Args:
        kinds: variable → its type; one that is drawn by a strategy has no others.
        code: of the law and what it assumes.
        surface: the functions that it may call.
        published: calls in examples.
    """
    calls = [node for tree in code for node in ast.walk(tree) if isinstance(node, ast.Call)]
    pairs = [(call, one) for call in calls for one in surface.callables() if may_call(call, one, surface)]
    functions = [function for _, function in pairs]
    own = [value for tree in code for value in literals_in(tree)]
    theirs = within((value for function in functions for value in function.does.seeds), farthest(functions, ()))
    sizes = [one for one in _beside([*own, *theirs]) if isinstance(one, int) and one > USUAL_SIZE]
    sizes = within(sizes, min(FAR, farthest(functions, ())))
    found: dict[str, list[str]] = {}
    for name, kind in kinds.items():
        passed = list(_passed(name, kind, pairs, surface, published))
        values = [*passed, *kind.values(), *(other for value in passed for other in near(value, ()))]
        plain = within(dict.fromkeys(values if kind.name in SCALARS else ()), farthest(functions, passed))[:MAX_ROWS]
        found[name] = [f"st.sampled_from({plain!r})"] if plain else []
        found[name] += [kind.sized(sizes)] if sizes and kind.name in SIZED else []
    return AlsoDrawn(of_variables=found, of_types=_told(own, theirs))


def _passed(
    name: str,
    kind: Kind,
    pairs: Iterable[tuple[ast.Call, Function]],
    surface: Surface,
    published: Sequence[ast.Call],
) -> Iterator[Any]:
    """What published calls pass in the place of a variable, or of what is made with it (`f(a + 'x' + b)`)."""
    for call, function in pairs:
        place = next((at for at, one in _placed(call) if name in free_names([one])), None)
        for other in published if place is not None else ():
            value = dict(_placed(other)).get(place) if may_call(other, function, surface) else None
            if isinstance(value, ast.Constant) and type(value.value).__name__ == kind.name:
                yield value.value


def _told(*groups: Sequence[Any]) -> dict[str, str]:
    """Strategies of the values that stand in code, by their type: numbers and their neighbours, texts put together."""
    found: dict[str, list[str]] = {}
    for literals in groups:
        numbers = _beside(literals)
        for kind in (int, float):
            if chosen := [*dict.fromkeys(kind(one) for one in numbers if kind is float or isinstance(one, int))]:
                found.setdefault(kind.__name__, []).append(f"st.sampled_from({chosen!r})")
        if texts := [*dict.fromkeys(one for one in literals if isinstance(one, str))]:
            found.setdefault("str", []).append(
                f"st.lists(st.sampled_from({[*texts, *_BETWEEN]!r}), max_size=6).map(''.join)"
            )
    return {kind: ", ".join(strategies) for kind, strategies in found.items()}


def _beside(literals: Iterable[Any]) -> list[Any]:
    """Numbers among them and those next to each, where bounds that are off by one show; 0 and 1 are drawn anyway."""
    numbers = [one for one in literals if isinstance(one, int | float) and 1 < abs(one) < math.inf]
    return [*dict.fromkeys(other for one in numbers for other in (one, one + 1, one - 1, -one))]


def _placed(call: ast.Call) -> Iterator[tuple[int | str | None, ast.expr]]:
    """Its arguments by their places or names."""
    yield from enumerate(call.args)
    yield from ((one.arg, one.value) for one in call.keywords)
