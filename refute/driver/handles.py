"""Objects that this side has lent, and those that stand here for objects of the other side."""

import weakref
from collections.abc import Callable
from functools import partial
from sys import getrefcount
from types import BuiltinFunctionType, MethodType, MethodWrapperType, ModuleType
from typing import TYPE_CHECKING, Any, Final

from refute.driver.wire import Malformed

if TYPE_CHECKING:
    from refute.driver.error_transport import State


class Exports:
    """Numbers for objects of this side.

    Args:
        first: 0 for the driver, 1 for the subject: the numbers that this side gives are even or odd.
        may_lend: says what of this side the other one may hold; raises CannotCarry.
    """

    def __init__(self, first: int, may_lend: Callable[[Any], None]) -> None:
        self.may_lend = may_lend
        self._number = first
        self._lent: dict[int, list[Any]] = {}
        self._lent_ids: dict[int, int] = {}
        self._methods: dict[tuple[int, Any] | None, int] = {}
        self.crossed = False
        """Whether either side holds an object of the other's: more than functions of modules and plain data."""

    def lend(self, value: Any) -> int:
        """The number of an object that the other side may refer to from now on."""
        self.crossed = True
        key = method_key(value)
        oid = self._lent_ids.get(id(value)) or self._methods.get(key)
        if oid is None:
            self._number += 2
            oid = self._lent_ids[id(value)] = self._number
            self._lent[oid] = [value, 0]
            if key is not None:
                self._methods[key] = oid
        self._lent[oid][1] += 1
        return oid

    def own(self, oid: int) -> Any:
        """The lent object of a number."""
        lent = self._lent.get(oid)
        if lent is None:
            raise Malformed("an object that was never lent is referred to")
        return lent[0]

    def number_of(self, value: Any) -> int | None:
        """The number by which the other side may refer to this very object."""
        return self._lent_ids.get(id(value))

    def take_back(self, dropped: list[list[int]]) -> None:
        """The other side no longer holds these, as far as it had received them."""
        for oid, count in dropped:
            lent = self._lent.get(oid)
            if lent is not None:
                lent[1] -= count
                if lent[1] <= 0 and not isinstance(lent[0], type):
                    del self._lent[oid], self._lent_ids[id(lent[0])]
                    self._methods.pop(method_key(lent[0]), None)


def method_key(value: Any) -> tuple[int, Any] | None:
    """What two objects that are the same method of the same object have in common; None for anything else.

    It holds as long as one of them lives: Python makes a new one whenever a method is looked up.
    """
    kind = type(value)
    if kind is MethodType:
        return id(value.__self__), id(value.__func__)
    if kind is BuiltinFunctionType or kind is MethodWrapperType:
        owner = value.__self__
        return None if owner is None or isinstance(owner, ModuleType) else (id(owner), value.__name__)
    return None


KEPT_REFERENCES: Final = 3
"""References that are ours to a proxy that is kept: the entry's, a name, and the argument of `getrefcount`."""


class Proxies:
    """Stand-ins by the other side's numbers: the same one while anybody holds it."""

    def __init__(self) -> None:
        self._borrowed: dict[int, Any] = {}
        self._borrowed_ids: dict[int, int] = {}
        self._taken: dict[int, int] = {}
        self.dropped: list[list[int]] = []
        """Borrowed objects that nobody here holds any longer, with how often each had come."""

        self._unwatched: set[int] = set()
        self.errors: dict[int, State] = {}
        """What errors of the other side had when they came."""

    def is_weakly_known(self, one: Any) -> bool:
        """Whether others than us have weak references to a dying proxy."""
        held = self._borrowed.get(self._borrowed_ids.get(id(one), -1))
        return isinstance(held, weakref.ref) and held() is one and weakref.getweakrefcount(one) > 1

    def slacken(self) -> None:
        """Let go of proxies that know no weak references, once nobody here but us holds them."""
        for oid in list(self._unwatched):
            one = self._borrowed.get(oid)
            if getrefcount(one) <= KEPT_REFERENCES:
                self._unwatched.discard(oid)
                self._forget(oid, id(one), None)

    def borrow(self, oid: int, make: Callable[[], Any], *, forever: bool = False) -> Any:
        """The object here that stands for one of theirs: the same one while anybody holds it."""
        held = self._borrowed.get(oid)
        found = held() if isinstance(held, weakref.ref) else held
        self._taken[oid] = self._taken.get(oid, 0) + 1
        if found is None:
            found = make()
            key = id(found)
            self._borrowed_ids[key] = oid
            try:
                self._borrowed[oid] = found if forever else weakref.ref(found, partial(self._forget, oid, key))
            except TypeError:  # it knows no weak references, as Python's own exceptions
                self._borrowed[oid] = found
                self._unwatched.add(oid)
        return found

    def remember(self, oid: int, found: Any) -> None:
        """Let an object of ours stand for one of theirs for good."""
        self._borrowed[oid] = found
        self._borrowed_ids[id(found)] = oid

    def standing_for(self, oid: int) -> Any:
        """The object here that stands for one of theirs, if anybody holds it."""
        held = self._borrowed.get(oid)
        return held() if isinstance(held, weakref.ref) else held

    def also(self, oid: int, other: Any) -> None:
        """A second object that stands for the same one of theirs, while it lives."""
        self._borrowed_ids[id(other)] = oid
        weakref.finalize(other, self._borrowed_ids.pop, id(other), None).atexit = False

    def oid_of(self, value: Any) -> int | None:
        """The number of a borrowed object."""
        return self._borrowed_ids.get(id(value))

    def _forget(self, oid: int, key: int, _: Any) -> None:
        self._borrowed_ids.pop(key, None)
        self.errors.pop(oid, None)
        held = self._borrowed.get(oid)
        if held is not None and (not isinstance(held, weakref.ref) or held() is None):
            del self._borrowed[oid]
        self.dropped.append([oid, self._taken.pop(oid, 0)])
