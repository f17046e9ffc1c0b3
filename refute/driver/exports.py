"""What this side has lent: objects of its own that the other side may refer to by number."""

import threading
from collections.abc import Callable
from sys import getrefcount
from types import BuiltinFunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any, Final

from refute.driver.errors import Malformed
from refute.driver.shared import SharedContainers

OWN_REFERENCES: Final = 2
"""References to a lent object that are ours: the entry's, and the argument of `getrefcount`."""


class Exports(SharedContainers):
    """Numbers for objects of this side.

    Args:
        first: 0 for the driver, 1 for the subject: the numbers that this side gives are even or odd.
        may_lend: says what of this side the other one may hold; raises CannotCarry.
    """

    def __init__(self, first: int, may_lend: Callable[[Any], None]) -> None:
        super().__init__(first)
        self.in_driver = first == 0
        self._may_lend = may_lend
        self._number = first
        self._lent: dict[int, list[Any]] = {}
        self._lent_ids: dict[int, int] = {}
        self._here = threading.local()
        self._weakly: set[int] = set()
        self._buried: set[int] = set()
        self._methods: dict[tuple[int, Any] | None, int] = {}
        self._sealed: dict[int, set[str]] = {}
        self.gone: list[int] = []
        """Objects that only weak references of the other side knew, and that have died since."""
        self.objects_crossed = False
        """Whether either side holds an object of the other's: more than functions of modules and plain data."""

    def lend(self, value: Any) -> int:
        """The number of an object that the other side may refer to from now on."""
        self.objects_crossed = True
        key = method_key(value)
        oid = self._lent_ids.get(id(value)) or self._methods.get(key)
        if oid is None:
            self._number += 2
            oid = self._lent_ids[id(value)] = self._number
            self._lent[oid] = [value, 0]
            if key is not None:
                self._methods[key] = oid
        self._sealed.pop(oid, None)
        self._weakly.discard(oid)
        self._lent[oid][1] += 1
        return oid

    def lend_method(self, owner: Any, name: str) -> int:
        """The number of an object of which the other side may use a method.

        Args:
            owner: the object; unless it is lent besides, the other side may do nothing else with it.
            name: of the method.
        """
        known = self._lent_ids.get(id(owner))
        names = set() if known is None else self._sealed.get(known)
        oid = self.lend(owner)
        if names is not None:
            self._sealed[oid] = names | {name}
        return oid

    def handed_methods(self, value: Any) -> set[str] | None:
        """The methods of an object of which the other side may use nothing else; None: it is lent as a whole."""
        return self._sealed.get(self._lent_ids.get(id(value), 0)) if self._sealed else None

    def weaken(self, oid: int) -> None:
        """The other side has nothing but weak references to an object now: it lives as long as this side holds it."""
        if oid in self._lent:
            self._weakly.add(oid)

    def let_die(self) -> None:
        """Drop those that nobody on this side but us holds any more either."""
        for oid in list(self._weakly):
            lent = self._lent.get(oid)
            if lent is None or getrefcount(lent[0]) <= OWN_REFERENCES:
                self._weakly.discard(oid)
                if lent is not None:
                    self._unlend(oid, lent[0])
                    self.gone.append(oid)
                    self._buried.add(oid)

    def own(self, oid: int) -> Any:
        """The lent object of a number."""
        lent = self._lent.get(oid)
        if lent is not None:
            return lent[0]
        if oid in self._buried:
            raise ReferenceError("weakly-referenced object no longer exists")
        raise Malformed("an object that was never lent is referred to")

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
        self._sealed.pop(oid, None)


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
