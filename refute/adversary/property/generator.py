"""The inputs of every law: literals from types, from published calls, and from what stands near these."""

import ast
import copy
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Final

from refute.adversary.property.dependence import called
from refute.adversary.property.expressions import free_names
from refute.adversary.property.kinds import Kind, kind_of
from refute.adversary.property.mutation import near
from refute.adversary.property.namespace import LIBRARY, ONLY_SAFE_BUILTINS, STANDARD_NAMES
from refute.adversary.property.surface import Function, Parameter, Surface
from refute.adversary.references import names_in
from refute.python_syntax import literal_of

MAX_ROWS: Final = 240
"""Inputs for one way of calling."""
MAX_WAYS: Final = 4
MAX_CHARACTERS: Final = 400
"""Of one input as Python."""
_MAX_HOLES: Final = 8
FAR: Final = 2_000
"""So many rounds of a loop in a loop end in time."""
USUAL_SIZE: Final = 20
"""Of texts and lists that are drawn by their type: larger ones have to be asked for."""
_SHALLOW: Final = 100
"""For a function that calls itself."""
_SAFE: Final = LIBRARY | ONLY_SAFE_BUILTINS | {name for name, module in STANDARD_NAMES.items() if module in LIBRARY}
"""Names besides the implementation's own that a published call may use."""
_GUESSES: Final[tuple[Any, ...]] = (
    *(0, 1, "", "a", "Ab 1", [], [1, 2], None, 2.5, {"a": 1}, "1.2.3", -7, 1000),
    *(b"", b"\xffa\x00"),
)
"""For a parameter of which nothing is known: what the earlier version refuses is dropped."""
_CLASS: Final = re.compile(r"(?!Any\b|AnyStr\b|Hashable\b)(?:\w+\.)*[A-Z]\w{2,}")
"""An annotation that asks for an object: a guess would be none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """One way of calling a function, and what to call it with."""

    call: str
    """Python expression over the holes, e.g. `Version.parse(a0).match(a1)`."""
    holes: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    """Plain values for the holes, those that are published first."""

    def written(self, row: Sequence[Any]) -> str:
        """The call as a person writes it."""
        return re.sub(r"\ba(\d+)\b", lambda hit: repr(row[int(hit[1])]), self.call)


def inputs_of(
    function: Function,
    surface: Surface,
    published: Iterable[ast.Call],
    *,
    hints: Sequence[Any] = (),
    recorded: bool = False,
) -> tuple[Inputs, ...]:
    """Ways to call a function, those that are published first.

    Args:
        function: what is called.
        surface: where it stands; a published call may use what that offers and nothing else.
        published: calls in examples, as `calls.published_calls` finds them.
        hints: values that may matter, as literals of the code.
        recorded: answers are recorded under a budget, and refusals dropped: guess where nothing is known of a
            parameter, and pass numbers however large.

    Returns:
        At most MAX_WAYS; none where nobody can know what to call it with.
    """
    chance = random.Random(function.qualified)  # noqa: S311  # the same inputs each time
    ways: dict[str, list[tuple[Any, ...]]] = {}
    for call in published:
        if may_call(call, function, surface) and (found := _holes_of(call, surface)) is not None:
            ways.setdefault(found[0], []).append(found[1])
    needed = [one for one in function.parameters if one.default is None]
    forms = (_typed(function, some, guess=recorded and not ways) for some in (function.parameters, needed))
    typed = {one[0]: one[1:] for one in forms if one is not None}
    most = farthest([function], (value for rows in ways.values() for row in rows for value in row))
    known = sorted(ways.items(), key=lambda item: -len(item[1]))[: MAX_WAYS - 2]
    made = [_inputs(call, _grown(rows, hints, chance)) for call, rows in known]
    made += [_inputs(call, _drawn(*columns, hints, chance)) for call, columns in typed.items()]
    if not recorded:
        made = [replace(one, rows=tuple(row for row in one.rows if len(within(row, most)) == len(row))) for one in made]
    return tuple(one for one in made if one.rows and one.holes)


def farthest(functions: Iterable[Function], passed: Iterable[Any]) -> int:
    """How far from zero a whole number may be on which right code still answers in time, however it counts."""
    usual = _SHALLOW if any(one.does.recurses for one in functions) else FAR
    return max(usual, *(abs(one) for one in passed if isinstance(one, int)), 0)


def within(values: Iterable[Any], most: int) -> list[Any]:
    """Those values that are no whole numbers beyond."""
    return [one for one in values if not isinstance(one, int) or abs(one) <= most]


def may_call(call: ast.Call, function: Function, surface: Surface) -> bool:
    """Whether a call may be one of a function, by name: a method is called on something, a function by its module.

    Of what has methods of that name, its class is the one that the call names, or the only one.
    """
    on, dot, name = called(call).rpartition(".")
    if not function.owner:
        return called(call) in function.names
    if name != function.name or not dot or not (function.is_static or on.rpartition(".")[2] != function.owner):
        return False
    owners = {one.owner for one in surface.callables() if one.owner and one.name == name} | {function.owner}
    return (owners & names_in(call.func) or owners) == {function.owner}


def _inputs(call: str, rows: Iterable[tuple[Any, ...]]) -> Inputs:
    distinct = {repr(row): row for row in rows if len(repr(row)) <= MAX_CHARACTERS}
    chosen = tuple(distinct.values())[:MAX_ROWS]
    return Inputs(call=call, holes=tuple(f"a{at}" for at in range(len(chosen[0]) if chosen else 0)), rows=chosen)


def _grown(seeds: Sequence[tuple[Any, ...]], hints: Sequence[Any], chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """The seeds, then each with one value changed in turns, so that no seed takes all the room."""
    yield from seeds
    changed = [list(_neighbours(seed, hints)) for seed in seeds]
    for rows in changed:
        chance.shuffle(rows)
    for at in range(max(map(len, changed), default=0)):
        for rows in changed:
            if at < len(rows):
                yield rows[at]
    pool = [row for rows in changed for row in rows]
    for _ in range(MAX_ROWS if len(seeds[0]) > 1 else 0):  # two values changed at once
        yield tuple(chance.choice(column) for column in zip(chance.choice(pool), chance.choice(pool), strict=True))


def _neighbours(
    row: tuple[Any, ...], hints: Sequence[Any], fixed: AbstractSet[int] = frozenset()
) -> Iterator[tuple[Any, ...]]:
    for at, value in enumerate(row):
        for other in () if at in fixed else near(value, hints):
            yield (*row[:at], other, *row[at + 1 :])


def _drawn(
    columns: Sequence[Sequence[Any]], fixed: AbstractSet[int], hints: Sequence[Any], chance: random.Random
) -> Iterator[tuple[Any, ...]]:
    """In turns, so that no column takes all the room: a value of each with plain others, and any combination.

    Of combinations each is changed a little, too, but for `fixed`.
    """
    plain = tuple(column[min(1, len(column) - 1)] for column in columns)
    tried = list[list[Any]]()
    for at, column in enumerate(columns):
        of_kind = [hint for hint in hints if at not in fixed and any(type(hint) is type(value) for value in column)]
        sized = () if at in fixed else _sized(column, hints)
        tried.append([*column, *of_kind, *sized, *(other for hint in of_kind for other in near(hint, ()))])
    for turn in range(MAX_ROWS):
        for at, values in enumerate(tried):
            if turn < len(values):
                yield (*plain[:at], values[turn], *plain[at + 1 :])
        row = tuple(map(chance.choice, columns))
        yield row
        yield chance.choice([row, *_neighbours(row, hints, fixed)])


def _sized(column: Sequence[Any], hints: Sequence[Any]) -> Iterator[Any]:
    """Texts and lists at and above sizes that are named, made of a short one."""
    several = (one for one in column if isinstance(one, str | bytes | list) and len(one) > 1)
    some = min(several, key=lambda one: len(repr(one)), default="")
    for size in (one for one in hints if isinstance(one, int) and USUAL_SIZE < one <= MAX_CHARACTERS):
        yield from ((some * size)[:size], (some * (size + 1))[: size + 1]) if some else ()


def _typed(
    function: Function, parameters: Iterable[Parameter], *, guess: bool
) -> tuple[str, list[Sequence[Any]], AbstractSet[int]] | None:
    """The call by the signature, values for each argument, and which of these build another and so stay as they are.

    None where a needed one is unknown. With every option none is left to its default: so there is a call without any.
    """
    if function.is_async or (function.owner and not function.is_static):
        return None
    arguments, columns, fixed = list[str](), list[Sequence[Any]](), set[int]()
    for parameter in parameters:
        kind = kind_of(parameter.annotation, bare=True)
        values = _values_for(parameter, kind)
        if parameter.variadic or (parameter.default is not None and not values):
            continue
        asked = ast.unparse(parameter.annotation).strip("'") if parameter.annotation else ""
        if not values and (not guess or _CLASS.fullmatch(asked)):
            return None
        name = f"a{len(columns)}"
        argument = kind.built(name) if kind and values else name
        if argument != name:
            fixed.add(len(columns))
            argument = f"{name} and {argument}" if None in values else argument
        by_name = parameter.keyword_only or parameter.default is not None
        arguments.append(f"{parameter.name}={argument}" if by_name else argument)
        columns.append(values or _GUESSES)
        if len(columns) == _MAX_HOLES:
            break
    return f"{function.qualified}({', '.join(arguments)})", columns, fixed


def _values_for(parameter: Parameter, kind: Kind | None) -> Sequence[Any]:
    values = kind.values() if kind is not None else []
    if parameter.default is None:
        return values
    if (default := literal_of(parameter.default)) is None:
        return []
    return [*default, *default, *(values or near(default[0], ()))]


def _holes_of(call: ast.Call, surface: Surface) -> tuple[str, tuple[Any, ...]] | None:
    """The call with its literals taken out, and these; None where it uses what nobody may run."""
    emptied = _Emptied()
    template = emptied.visit(copy.deepcopy(call))
    allowed = surface.defined_names() | surface.public_names() | _SAFE
    used = free_names([template]) - {f"a{at}" for at in range(len(emptied.values))}
    if not used <= allowed or not 0 < len(emptied.values) <= _MAX_HOLES:
        return None
    return ast.unparse(template), tuple(emptied.values)


class _Emptied(ast.NodeTransformer):
    """Puts names in the place of literals."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp):
            if (value := literal_of(node)) is None:
                return self.generic_visit(node)
            self.values += value
            return ast.Name(id=f"a{len(self.values) - 1}", ctx=ast.Load())
        return self.generic_visit(node)
