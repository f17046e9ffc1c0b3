"""What this side has lent: objects of its own that the other side may refer to by number."""

import threading
from collections.abc import Callable
from types import BuiltinFunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any

from refute.driver.errors import Malformed


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
        self._here = threading.local()
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

    def is_lent(self, oid: int) -> bool:
        """Whether a number is that of a lent object."""
        return oid in self._lent

    def has_lent(self, value: Any) -> bool:
        """Whether the other side may refer to this very object."""
        return id(value) in self._lent_ids or id(value) in self.asked_about

    @property
    def asked_about(self) -> frozenset[int]:
        """Lent objects of the question that this thread works on; it may have let go of them with the same message."""
        found: frozenset[int] = getattr(self._here, "asked_about", frozenset())
        return found

    @asked_about.setter
    def asked_about(self, ids: frozenset[int]) -> None:
        self._here.asked_about = ids

    def lent_among(self, values: list[Any]) -> frozenset[int]:
        """Those of a question's values that were lent."""
        return frozenset(id(value) for value in values if id(value) in self._lent_ids)

    def take_back(self, dropped: list[list[int]]) -> None:
        """The other side no longer holds these, as far as it had received them."""
        for oid, count in dropped:
            lent = self._lent.get(oid)
            if lent is not None:
                lent[1] -= count
                if lent[1] <= 0 and not isinstance(lent[0], type):
                    self._unlend(oid, lent[0])

    def _unlend(self, oid: int, value: Any) -> None:
        del self._lent[oid], self._lent_ids[id(value)]
        self._methods.pop(method_key(value), None)


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
