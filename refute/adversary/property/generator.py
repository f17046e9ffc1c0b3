"""The inputs of every law, as rows of plain values: seeds, then each with a value changed.

Seeds are what published calls pass, what types stand for, and what stands in the code. A function is called in the ways
of `ways_to_call`; variables of a field, drawn by strategies of their types, try what lies `around` these as well.
"""

import ast
import contextlib
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from refute.adversary.property.calls import MAX_HOLES, holes_of, may_call
from refute.adversary.property.draft import NotTested
from refute.adversary.property.expressions import dotted, parse_expression
from refute.adversary.property.kinds import Kind, held_in_list, kind_of
from refute.adversary.property.mutation import near
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.surface import Function, Parameter, Surface
from refute.python_syntax import literal_of
from refute.ticket.record import ClaimId

MAX_ROWS: Final = 240
"""Inputs for one way of calling."""
MAX_WAYS: Final = 4
MAX_CHARACTERS: Final = 400
"""Of one input as Python."""
FAR: Final = 2_000
"""So many rounds of a loop in a loop end in time."""
_MAX_WRITTEN: Final = 6_000
"""Characters of the inputs of one test as Python."""
_USUAL_SIZE: Final = 20
"""Of texts and lists that are drawn by their type: larger ones have to be asked for."""
_SHALLOW: Final = 100
"""For a function that calls itself."""
_GUESSES: Final[tuple[Any, ...]] = (
    *(1, 0, "", "a", "Ab 1", [], [1, 2], None, 2.5, {"a": 1}, "1.2.3", -7, 1000),
    *(b"", b"\xffa\x00"),
)
"""For a parameter of which nothing is known: what the earlier version refuses is dropped."""
_FREE: Final = frozenset({"int", "float", "str", "bytes", "list"})
"""Types whose values stay of them where one thing is changed, and are written alike each time."""
_CLASS: Final = re.compile(r"(?!Any\b|AnyStr\b|Hashable\b)(?:\w+\.)*[A-Z]\w{2,}")
"""An annotation that asks for an object: a guess would be none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of calling a function, and what to call it with."""

    function: Function
    call: str
    """Python expression over the holes, e.g. `Version.parse(a0).match(a1)`."""
    rows: tuple[tuple[Any, ...], ...]
    """Plain values for the holes, those that are published first."""
    imports: tuple[str, ...]
    """Lines that give the call its names."""
    demand: tuple[ClaimId, tuple[str, str]] | None = None
    """Of a claim's field instead of inputs of ours: whose it is, and the answer that fulfils it."""

    @property
    def holes(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(f"a{at}" for at in range(len(self.rows[0])))

    def written(self, row: Sequence[Any]) -> str:
        """The call as a person writes it."""
        return re.sub(r"\ba(\d+)\b", lambda hit: repr(row[int(hit[1])]), self.call)


def ways_to_call(
    function: Function,
    namespace: Namespace,
    published: Iterable[ast.Call],
    *,
    hints: Sequence[Any] = (),
    recorded: bool = False,
) -> tuple[Way, ...]:
    """Ways to call a function, those that are published first.

    Args:
        function: what is called.
        namespace: where it stands; a published call may use what its surface offers and nothing else.
        published: calls in examples, as `calls.published_calls` finds them.
        hints: values that may matter, as literals of the code.
        recorded: answers are recorded under a budget, and refusals dropped: guess where nothing is known of a
            parameter, make instances, and pass numbers however large.

    Returns:
        At most MAX_WAYS; none where nobody can know what to call it with.
    """
    chance = random.Random(function.qualified)  # noqa: S311  # the same inputs each time
    ways: dict[str, list[tuple[Any, ...]]] = {}
    for call in published:
        if may_call(call, function, namespace.surface) and (found := holes_of(call, namespace.surface)) is not None:
            ways.setdefault(found[0], []).append(found[1])
    forms = (_typed(function, namespace.surface, whole=whole, guess=recorded and not ways) for whole in (True, False))
    typed = dict(one for one in forms if one is not None and (recorded or (one[1] and not function.needs_instance)))
    most = farthest([function], (value for rows in ways.values() for row in rows for value in row))
    known = sorted(ways.items(), key=lambda item: -len(item[1]))[: MAX_WAYS - 2]
    for form, columns in typed.items():
        known.append((form, [*_combined([_widened(one, hints) for one in columns], chance)] if columns else [()]))
    grown = ((call, _distinct(_grown(rows, hints, chance), None if recorded else most)) for call, rows in known)
    made = (way_of(function, call, rows, namespace) for call, rows in grown if rows)
    return tuple(one for one in made if one is not None)


def way_of(
    function: Function, call: str, rows: Sequence[tuple[Any, ...]], namespace: Namespace, home: str = ""
) -> Way | None:
    """A call over holes, with its imports; None where nobody knows where a name of it comes from."""
    tree = parse_expression(call)
    if tree is None:
        return None
    made = Way(function=function, call=call, rows=tuple(rows), imports=())
    with contextlib.suppress(NotTested):
        return replace(made, imports=namespace.resolve([tree], home=home or function.module, bound=made.holes).imports)
    return None


def around(kind: Kind, hints: Sequence[Any], most: int) -> list[Any]:
    """What a law tries of a variable beside what a strategy draws; nothing where a change may leave its type.

    Args:
        kind: of the variable.
        hints: as for `ways_to_call`, and what published calls pass.
        most: see `farthest`.
    """
    if not _stays(kind):
        return []
    values = [(one,) for one in kind.values()]
    stated = [(one,) for one in _widened(kind.values(), hints)[len(values) :]]
    changed = _grown(stated or values, hints, random.Random(0))  # noqa: S311  # the same inputs each time
    return [one for (one,) in _distinct([*stated, *values, *changed], most)]


def sampled(rows: Iterable[Any]) -> str:
    """A Hypothesis strategy of values, as many as fit into a test; the smallest first, as failures shrink to these."""
    written, size = list[str](), 0
    for row in map(repr, rows):
        if size + len(row) + 2 <= _MAX_WRITTEN:
            size += len(row) + 2
            written.append(row)
    return f"st.sampled_from([{', '.join(sorted(written, key=len))}])"


def _stays(kind: Kind) -> bool:
    """Whether what lies near a value of it is of it, too."""
    return kind.name in _FREE and all(map(_stays, kind.items))


def farthest(functions: Iterable[Function], passed: Iterable[Any]) -> int:
    """How far from zero a whole number may be on which right code still answers in time, however it counts."""
    usual = _SHALLOW if any(one.does.recurses for one in functions) else FAR
    return max([usual, *map(_reach, passed)])


def _reach(value: Any) -> int:
    """How far from zero the whole numbers of a value lie, or how long it is, whichever is more."""
    match value:
        case int():
            return abs(value)
        case str() | bytes():
            return len(value)
        case list() | tuple() | set() | frozenset():
            return max([len(value), *map(_reach, value)])
        case dict():
            return max(_reach([*value]), _reach([*value.values()]))
        case _:
            return 0


def _distinct(rows: Iterable[tuple[Any, ...]], most: int | None) -> list[tuple[Any, ...]]:
    """Those rows that are told in few characters, and within a reach."""
    distinct = {repr(row): row for row in rows if most is None or _reach(row) <= most}
    return [row for told, row in distinct.items() if len(told) <= MAX_CHARACTERS][:MAX_ROWS]


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
    pool = [*seeds, *(row for rows in changed for row in rows)]
    for _ in range(MAX_ROWS if len(seeds[0]) > 1 else 0):  # two values changed at once
        yield tuple(chance.choice(column) for column in zip(chance.choice(pool), chance.choice(pool), strict=True))


def _neighbours(row: tuple[Any, ...], hints: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    for at, value in enumerate(row):
        for other in near(value, hints):
            yield (*row[:at], other, *row[at + 1 :])


def _combined(columns: Sequence[Sequence[Any]], chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """In turns, so that no column takes all the room: a value of each with the first others, and with any others."""
    plain = tuple(column[0] for column in columns)
    for turn in range(max(map(len, columns), default=0)):
        for at, values in enumerate(columns):
            for others in (plain, tuple(map(chance.choice, columns))) if turn < len(values) else ():
                yield (*others[:at], values[turn], *others[at + 1 :])


def _widened(values: Sequence[Any], hints: Sequence[Any]) -> list[Any]:
    """Values, hints of their kinds, and texts and lists at and above the sizes that are named, made of a short one."""
    alike = [hint for hint in hints if any(type(hint) is type(value) for value in values)]
    several = (one for one in values if isinstance(one, str | bytes | list) and len(one) > 1)
    some = min(several, key=lambda one: len(repr(one)), default="")
    named = [one for one in hints if some and isinstance(one, int) and _USUAL_SIZE < one <= MAX_CHARACTERS]
    return [*values, *alike, *((some * size)[:size] for one in named for size in (one, one + 1))]


def _typed(function: Function, surface: Surface, *, whole: bool, guess: bool) -> tuple[str, list[Sequence[Any]]] | None:
    """The call by the signature, and values for each hole; None where a needed argument is unknown.

    A method is called on what its class is made with. With every option (`whole`) none is left to its default: so
    there is a call without any.
    """
    if function.is_async:
        return None
    holes = _Holes(surface=surface, module=function.module, whole=whole, guess=guess)
    instance = function.needs_instance and (holes.made(ast.Name(function.owner)) or f"{function.owner}()")
    on = f"{instance}.{function.name}" if instance else function.qualified
    arguments = holes.arguments(function.parameters)
    if holes.unknown:
        return None
    return on if function.is_property else f"{on}({arguments})", holes.columns


@dataclass(slots=True, kw_only=True)
class _Holes:
    """Arguments as Python over holes, while they are written."""

    surface: Surface
    module: str
    whole: bool
    guess: bool
    columns: list[Sequence[Any]] = field(default_factory=list)
    """Values of each hole."""
    unknown: bool = False
    """Whether something is needed of which nothing is known."""

    def arguments(self, parameters: Iterable[Parameter], depth: int = 2) -> str:
        """Those of one call. Objects are made of their classes, and these of others, to a depth."""
        written = list[str]()
        for parameter in parameters:
            needed = parameter.default is None
            if parameter.variadic or len(self.columns) == MAX_HOLES or not (needed or self.whole):
                continue
            values = _values_for(parameter)
            argument = "" if values else self.made(parameter.annotation, depth)
            if not (argument or values or needed):
                continue
            argument = argument or self._hole(values, parameter.annotation)
            written.append(f"{parameter.name}={argument}" if parameter.keyword_only or not needed else argument)
        return ", ".join(written)

    def made(self, annotation: ast.expr | None, depth: int = 2) -> str:
        """An object of a class of the code, or a list of two; empty for any other type."""
        if isinstance(annotation, ast.Constant):
            annotation = parse_expression(str(annotation.value))
        if (item := held_in_list(annotation)) is not None:
            items = self.made(item, depth), self.made(item, depth)
            return f"[{', '.join(items)}]" if all(items) else ""
        name = dotted(annotation) if annotation is not None else None
        parameters = self.surface.made_with(name, self.module) if name and depth else None
        return "" if parameters is None else f"{name}({self.arguments(parameters, depth - 1)})"

    def _hole(self, values: Sequence[Any], annotation: ast.expr | None) -> str:
        asked = ast.unparse(annotation).strip("'") if annotation is not None else ""
        self.unknown = self.unknown or (not values and (not self.guess or bool(_CLASS.fullmatch(asked))))
        self.columns.append(values or _GUESSES)
        return f"a{len(self.columns) - 1}"


def _values_for(parameter: Parameter) -> Sequence[Any]:
    """A plain one first: the default, else what is not empty."""
    kind = kind_of(parameter.annotation, bare=True)
    values = kind.values() if kind is not None else []
    if parameter.default is None:
        return [*values[1:2], *values]
    if (default := literal_of(parameter.default)) is None:
        return []
    return [*default, *(values or near(default[0], ()))]
