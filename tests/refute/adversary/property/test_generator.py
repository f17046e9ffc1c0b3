"""One generator of inputs: from types, from published calls, and from what stands near these."""

import datetime as dt
from decimal import Decimal

import pytest

from refute.adversary.property.calls import published_calls
from refute.adversary.property.faces import read_surface
from refute.adversary.property.generator import Way, ways_to_call
from refute.adversary.property.mutation import near
from refute.adversary.property.namespace import Namespace
from refute.adversary.property.surface import Surface
from tests.refute.adversary.property.workbench import brief_of

CODE = '''
Grid = list[list[int]]
Size: TypeAlias = "int | None"
def typed(n: int, flag: bool = False) -> int: ...
def of_named_types(grid: Grid, size: Size): ...
def untyped(value): ...
def lists(xs: list[tuple[int, str]]): ...
class Version:
    """
    >>> v = Version('1.2')
    >>> v.bump('minor', by=2)
    3
    """
    def __init__(self, text): ...
    def bump(self, part, by=1): ...
@dataclasses.dataclass
class Box:
    width: int
    height: int = 1
    label = "box"
    def stretched(self, by: int) -> "Box": ...
    @property
    def area(self) -> int: ...
    @area.setter
    def area(self, value: int) -> None: ...
    def around(self, other: "Box") -> bool: ...
def packed(boxes: Sequence[Box], limit: int): ...
class Color(Enum):
    RED = 1
@dataclasses.dataclass
class Shelf:
    boxes: list[Box] = dataclasses.field(default_factory=list)
    color: Color = Color.RED
    def full(self): ...
class Pair(tuple):
    def __new__(cls, one: int, other: int = 1): ...
    def sum(self): ...
class Empty:
    @classmethod
    def of(cls, n: int): ...
    def count(self): ...
def version(): ...
'''


def names_of(surface: Surface) -> Namespace:
    return Namespace(surface=surface)


def inputs(name: str, *claims: str, recorded: bool = False) -> tuple[Way, ...]:
    made = brief_of(CODE, claims or ["Nothing."])
    surface = read_surface(made.modules)
    function = surface.named(name)
    assert function is not None
    return ways_to_call(function, names_of(surface), published_calls(made, surface), recorded=recorded)


def test_types_give_small_values_first_and_options_too() -> None:
    one, without_options = inputs("typed")
    assert one.call == "typed(a0, flag=a1)"
    assert {(0, False), (1, True)} <= set(one.rows)
    assert one.written((0, True)) == "typed(0, flag=True)"
    assert without_options.call == "typed(a0)"


def test_names_of_types_stand_for_them() -> None:
    (one,) = inputs("of_named_types")
    assert {type(row[0]) for row in one.rows} == {list}
    assert {type(row[1]) for row in one.rows} == {int, type(None)}


def test_names_of_a_session_stand_for_what_they_were_given() -> None:
    (one,) = inputs("Version.bump")
    assert one.call == "Version(a0).bump(a1, by=a2)"
    assert {("1.2", "minor", 2), ("1.3", "minor", 2), ("1.2", "minor", 0)} <= set(one.rows)


def test_a_call_in_a_claim_is_a_seed() -> None:
    (one,) = inputs("untyped", "`untyped('2024-01-02')` is a date.")
    assert {("2024-01-02",), ("",), ("2024-01-0",), ("2024-01-03",)} <= set(one.rows)


def test_a_call_that_hangs_on_the_moment_is_none() -> None:
    assert inputs("untyped", "`untyped(datetime.now(), 'x')` is a date.") == ()


def test_what_nothing_is_known_of_has_no_inputs_unless_they_may_be_guessed() -> None:
    assert inputs("untyped") == ()
    assert len(inputs("untyped", recorded=True)[0].rows) > 10


@pytest.mark.parametrize(
    ("annotation", "guessed"), [("Renderer", False), ("'io.Writer'", False), ("Any", True), ("Iterable[T]", True)]
)
def test_an_object_that_is_asked_for_is_not_guessed(annotation: str, guessed: bool) -> None:
    surface = read_surface(brief_of(f"def show(target: {annotation}): ...", ["Nothing."]).modules)
    assert bool(ways_to_call(surface.functions()[0], names_of(surface), (), recorded=True)) is guessed


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("Box.stretched", ["Box(a0, height=a1).stretched(a2)", "Box(a0).stretched(a1)"]),
        ("Box.area", ["Box(a0, height=a1).area", "Box(a0).area"]),
        ("Box.around", ["Box(a0, height=a1).around(Box(a2, height=a3))", "Box(a0).around(Box(a1))"]),
        ("Shelf.full", ["Shelf(boxes=[Box(a0, height=a1), Box(a2, height=a3)]).full()", "Shelf().full()"]),
        ("Pair.sum", ["Pair(a0, other=a1).sum()", "Pair(a0).sum()"]),
        ("Empty.count", ["Empty().count()"]),
        ("Empty.of", ["Empty.of(a0)"]),
        ("version", ["version()"]),
    ],
)
def test_a_method_is_called_on_what_its_class_is_made_with(name: str, calls: list[str]) -> None:
    assert [one.call for one in inputs(name, recorded=True)] == calls
    assert [one.call for one in inputs(name)] == [one for one in calls if "Empty.of" in one]


def test_objects_are_made_of_what_their_class_takes() -> None:
    calls = ["packed([Box(a0, height=a1), Box(a2, height=a3)], a4)", "packed([Box(a0), Box(a1)], a2)"]
    assert [one.call for one in inputs("packed", recorded=True)] == [one.call for one in inputs("packed")] == calls


def test_a_call_that_uses_what_nobody_may_run_is_no_seed() -> None:
    assert inputs("untyped", "`untyped(open('x'))` and `untyped(os.getcwd() + 'a')` work.") == ()


def test_the_same_inputs_come_each_time() -> None:
    first, again = (inputs("lists")[0].rows for _ in range(2))
    assert first == again


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, [6, 4, 0, -5]),
        ("ab1", ["", "a", "ab", "AB1", "ba1", "ab2", "b1"]),
        ([1, 2], [[], [1], [2, 1], [1, 1], [1, 2, 1], [2, 2]]),
        ({"a": 1}, [{}, {"a": None}, {"a": 2}]),
        (True, [False]),
        (2.5, [3.0, 0.0, -2.5]),
    ],
)
def test_near_a_value_lie_those_that_right_and_wrong_differ_in(value: object, expected: list[object]) -> None:
    found = near(value)
    assert [one for one in expected if one not in found] == []
    assert value not in found or isinstance(value, bool)


def test_hints_of_the_same_kind_are_tried() -> None:
    assert {"kB", "akB"} <= set(near("a", ["kB", 1024]))
    assert 1024 in near(3, ["kB", 1024])


TIMES = """
import datetime
import decimal

def at(d: datetime.datetime, by: datetime.timedelta | None = None): ...
def total(amounts: list[decimal.Decimal]): ...
"""


def test_values_of_other_types_are_written_as_what_builds_them() -> None:
    surface = read_surface(brief_of(TIMES, ["Nothing."]).modules)
    at, total = (ways_to_call(one, names_of(surface), (), hints=["utf-8"])[0] for one in surface.functions())
    moment = dt.datetime.fromisoformat("2024-02-29T12:30")
    assert (moment.replace(second=5), None) in at.rows
    assert at.written((moment, None)) == "at(datetime.datetime(2024, 2, 29, 12, 30), by=None)"
    assert ([Decimal(0)],) in total.rows
    assert total.written(([Decimal(0)],)) == "total([Decimal('0')])"


def test_a_method_of_several_classes_is_called_on_its_own() -> None:
    box = "class {}:\n    def __init__(self, at): ...\n    def find(self, data): ...\n"
    code = f"{box.format('Index')}{box.format('Slice')}def parse(text): ...\n"
    made = brief_of(code, ["`Index(1).find('a')`, `Slice(2).find('b')` and `parse('*').find('c')` work."])
    surface = read_surface(made.modules)
    index, *_ = (one for one in surface.callables() if one.owner == "Index")
    assert [way.call for way in ways_to_call(index, names_of(surface), published_calls(made, surface))] == [
        "Index(a0).find(a1)"
    ]
