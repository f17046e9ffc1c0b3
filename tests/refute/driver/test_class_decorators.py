"""Decorators that put special methods on a test's own class: right code passes, and the subject has decided."""

from pathlib import Path

import pytest

from tests.refute.driver.driving import run_driver

pytestmark = pytest.mark.slow

DECORATORS = """
import functools


def auto_repr(cls):
    cls.__repr__ = lambda self: f"{cls.__name__}({vars(self)!r})"
    return cls


def ordered(cls):
    cls.__le__ = lambda self, other: self < other or self == other
    return cls


def frozen(cls):
    def refuse(self, name, value):
        raise AttributeError("frozen")

    cls.__setattr__ = refuse
    return cls


def data(cls):
    names = list(cls.__annotations__)

    def __init__(self, *values):
        for name, value in zip(names, values):
            setattr(self, name, value)

    cls.__init__ = __init__
    cls.__eq__ = lambda self, other: all(getattr(self, name) == getattr(other, name) for name in names)
    return cls


def counted(cls):
    first = cls.__init__
    cls.count = 0

    @functools.wraps(first)
    def init(self, *values):
        cls.count += 1
        first(self, *values)

    cls.__init__ = init
    return cls


def plain(number):
    return number
"""
TESTS = """
import pytest
from decorators import auto_repr, counted, data, frozen, ordered, plain


def test_before():
    assert plain(1) == 1


def test_repr():
    @auto_repr
    class One:
        def __init__(self):
            self.x = 1

    assert repr(One()) == "One({'x': 1})"


def test_ordered():
    @ordered
    class One:
        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            return self.value < other.value

        def __eq__(self, other):
            return self.value == other.value

    assert One(1) <= One(2)
    assert not One(3) <= One(2)


def test_frozen():
    @frozen
    class One:
        pass

    with pytest.raises(AttributeError, match="frozen"):
        One().x = 1


def test_data():
    @data
    class One:
        x: int
        y: int

    assert One(1, 2).y == 2
    assert One(1, 2) == One(1, 2)
    assert not One(1, 2) == One(2, 2)


def test_counted():
    @counted
    class One:
        def __init__(self, value):
            self.value = value

    assert One(3).value == 3
    assert One(4).value == 4
    assert One.count == 2


def test_after():
    assert plain(1) == 1
"""


def test_special_methods_may_be_put_on_a_test_s_class_and_what_follows_is_not_attested(tmp_path: Path) -> None:
    names = [f"test_{name}" for name in ("before", "repr", "ordered", "frozen", "data", "counted", "after")]
    results = run_driver(tmp_path, {"decorators.py": DECORATORS}, TESTS, names, modules=["decorators"])
    told = {one["name"]: (one["end"], one["attested"]) for one in results["first"]}
    assert told == {name: ("passed", name == "test_before") for name in names}
