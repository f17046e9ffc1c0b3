import datetime as dt
import json
import math
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refute.driver.codec import Decoder, Encoder
from refute.driver.object_table import ObjectTable
from refute.driver.values import remade
from refute.driver.wire import CannotCarry, Malformed


def carried(value: Any) -> Any:
    """The value after it went over the wire."""
    encoder = Encoder(ObjectTable(0, lambda _: None))
    atom = encoder.atom(value)
    table, atom = json.loads(json.dumps([encoder.table, atom]))
    return Decoder(table, ObjectTable(1, lambda _: None)).value(atom)


def test_a_number_that_only_its_own_class_can_make_is_made_by_it() -> None:
    assert type(remade(np.float64, 1.5)) is np.float64


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, of the same types all the way down; NaN is NaN, and -0.0 is not 0.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return repr(one) == repr(other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    return bool(one == other)


TEXT = st.text(st.characters(exclude_categories=()))
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.binary() | st.decimals(allow_nan=False)
    | st.fractions() | st.dates() | st.datetimes() | st.timedeltas() | st.uuids() | st.complex_numbers(allow_nan=False)
)  # fmt: skip
KEYS = st.integers() | TEXT | st.binary() | st.tuples(st.integers(), st.text())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(KEYS, inner) | st.frozensets(KEYS),
    max_leaves=15,
)


@settings(max_examples=15, deadline=None)
@given(VALUES)
def test_plain_data_comes_out_as_it_went_in(value: Any) -> None:
    assert same(carried(value), value)


@pytest.mark.parametrize(
    "value",
    [
        2**62, -(2**62), 2**200,
        "\ud800", "\ud800\udc00", ["\ud83d", "\ude00"], math.inf, -0.0, b"", (), [[]], range(3, 9, 2),
        slice(1, None), Ellipsis, NotImplemented, {1: {2: {3: set()}}}, frozenset({frozenset()}), bytearray(b"ab"),
        deque([1, 2], maxlen=2), Counter("aab"), defaultdict(list, {"a": [1]}), Decimal("1.50"), Fraction(1, 3),
        UUID(int=5), PurePosixPath("a/b"),
        dt.datetime(2026, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=2), "x")),
        dt.time(1, 2, fold=1), int, [True, 1, 1.0],
    ],
    ids=repr,
)  # fmt: skip
def test_this_value_comes_out_as_it_went_in(value: Any) -> None:
    assert same(carried(value), value)


def test_two_places_that_hold_one_list_hold_one_list_afterwards() -> None:
    inner: list[int] = []
    one, other = carried([inner, inner])
    assert one is other


def test_a_cycle_stays_one() -> None:
    value: list[Any] = [1]
    value.append((value,))
    made = carried(value)
    assert made[1][0] is made


@pytest.mark.parametrize("value", [memoryview(b"abcd"), list["int"], TypeVar("T")], ids=lambda one: type(one).__name__)
def test_what_is_neither_a_value_nor_stays_where_it_is_cannot_be_carried(value: Any) -> None:
    with pytest.raises(CannotCarry, match="passes a"):
        carried(value)


def test_a_value_that_cannot_be_made_costs_the_test_and_not_the_run() -> None:
    objects = ObjectTable(1, lambda _: None)
    table = [["C", "ZoneInfo", ["Nowhere/At_all"]]]
    assert Decoder(table, objects).value([0]) is None
    assert "ZoneInfo" in objects.lost[0][0]


@pytest.mark.slow
def test_depth_is_no_limit() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    depth, made = 0, carried(value)
    while made:
        depth, made = depth + 1, made[0]
    assert depth == 100_000


def test_an_ordered_dict_keeps_the_order_that_it_was_given() -> None:
    value = OrderedDict(a=1, b=2)
    value.move_to_end("a")
    assert list(carried(value)) == ["b", "a"]


@pytest.mark.parametrize(
    "table",
    [
        [["l", 4, [[7]]]],
        [["t", [[0]]]],
        [["C", "exec", ["1"]]],
        [["x"]],
        [["i", "zz"]],
        [["b", "é"]],
        [["k", "open"]],
        [["=", 3]],
        [["d", 2, [1]]],
        [["o", 3, ["c", 9]]],
        [["F", "os", "system"]],
        [["T", ["K", "os", "system"]]],
        [["T", ["K", "subprocess", "Popen"]]],
        [["M", 1, 2]],
        [[]],
        [3],
    ],
    ids=str,
)
def test_a_table_that_no_encoder_writes_is_malformed(table: list[Any]) -> None:
    with pytest.raises(Malformed):
        Decoder(table, ObjectTable(0, lambda _: None))


@pytest.mark.parametrize("atom", [[0], [-1], [True], [[]], {}, ["x"]], ids=str)
def test_an_atom_that_refers_to_nothing_is_malformed(atom: Any) -> None:
    with pytest.raises(Malformed):
        Decoder([], ObjectTable(0, lambda _: None)).value(atom)
