import collections
import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from refute.adversary.property.comparison import _edit_distance, _is_balanced, _items, _primes_below, _reads_like, _same

Point = collections.namedtuple("Point", "x y")  # noqa: PYI024  # what an implementation may return


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (1, True),
        (1, 1.0),
        (3, 3.0000000001),
        (0.3, 0.1 + 0.2),
        (math.nan, math.nan),
        (-0.0, 0.0),
        (pytest.approx(3.14, abs=0.005), math.pi),
        (pytest.approx(2.5, abs=0.05), Decimal("2.5")),
        (pytest.approx(0.5, abs=0.05), Fraction(1, 2)),
        ([1, 2], iter([1, 2])),
        ([0, 1], range(2)),
        ((1, 2), Point(1, 2)),
        ({1, 2}, frozenset({2, 1})),
        ({"a", "b"}, {"a": 1, "b": 2}.keys()),
        ({"a": [pytest.approx(1.5, abs=0.05)]}, collections.OrderedDict(a=[1.52])),
        ([[1], (2,)], [[1], (2,)]),
        (dt.date(2020, 1, 1), dt.date(2020, 1, 1)),
    ],
)
def test_equal_values_are_the_same(expected: Any, got: Any) -> None:
    assert _same(expected, got)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (1, 2),
        (1, None),
        ("1", 1),
        (pytest.approx(3.14, abs=0.005), 3.15),
        (pytest.approx(1.0, abs=0.05), "1.0"),
        ([1, 2], (1, 2)),
        ([1, 2], [2, 1]),
        ([1, 2], [1]),
        ("ab", ["a", "b"]),
        (["a", "b"], "ab"),
        ({1, 2}, [1, 2]),
        ({1: 2}, {1: 3}),
        ({1: 2}, {1: 2, 3: 4}),
        (math.nan, 0.0),
    ],
)
def test_different_values_are_not_the_same(expected: Any, got: Any) -> None:
    assert not _same(expected, got)


@pytest.mark.parametrize(("expected", "got"), [([1, 2], (1, 2)), ([1, 2], {2, 1}), ({1, 2}, [2, 1]), ([(1,)], ([1],))])
def test_prose_does_not_tell_containers_apart(expected: Any, got: Any) -> None:
    assert _same(expected, got, exact=False)


def test_shown_text_is_compared_without_blanks_and_with_ellipsis() -> None:
    assert _reads_like("Hello,   ...!", "Hello, Al !")
    assert _reads_like("IV", "'IV'")
    assert not _reads_like("IV", "VI")


def test_an_array_is_read_without_what_its_printing_and_the_machine_add() -> None:
    assert _reads_like("array([[ 1.,  0.],\n [-0.5 ,  1.]])", "array([[1.000e+00, 8.882e-16], [-0.5, 1.]])")
    assert _reads_like("array([ 9. +0.j, 0.12-0.81j])", "array([9. -0.j , 0.12-0.81j])")
    assert not _reads_like("array([0.25, 1.])", "array([0.253, 1.   ])")
    assert not _reads_like("array([ 1, 2])", "array([1, 3])")
    assert not _reads_like("Total: 3.00", "Total: 3.0")


def test_what_is_about_right_is_compared_with_the_result_alone() -> None:
    class Result(float):
        __hash__ = float.__hash__

        def __eq__(self, other: object) -> bool:
            assert isinstance(other, float), "what pytest compares with does not reach the code under test"
            return float(self) == other

    assert _same(pytest.approx(0.5, abs=0.05), Result(0.5))


def test_items_of_generators_are_read() -> None:
    assert _items(x for x in "ab") == ["a", "b"]
    assert _items({"a": 1}) is None


def test_definitions_are_those_of_the_textbook() -> None:
    assert _primes_below(20) == [2, 3, 5, 7, 11, 13, 17, 19]
    assert [_edit_distance(*pair) for pair in (("", "abc"), ("kitten", "sitting"), ("a", "a"))] == [3, 3, 0]
    assert [text for text in ("", "()", "([]{})", "(", "(]", ")(") if _is_balanced(text)] == ["", "()", "([]{})"]
