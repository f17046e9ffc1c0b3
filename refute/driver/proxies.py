"""What this side has borrowed: objects here that stand for objects of the other side."""

import weakref
from collections.abc import Callable
from functools import partial
from sys import getrefcount
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from refute.driver.error_transport import State

KEPT_REFERENCES: Final = 3
"""References that are ours to a stand-in that is kept: the entry's, a name, and the argument of `getrefcount`."""


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
        """Whether others than us have weak references to a dying stand-in."""
        held = self._borrowed.get(self._borrowed_ids.get(id(one), -1))
        return isinstance(held, weakref.ref) and held() is one and weakref.getweakrefcount(one) > 1

    def slacken(self) -> None:
        """Let go of stand-ins that know no weak references, once nobody here but us holds them."""
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
        self.bind(oid, found)

    def bind(self, oid: int, found: Any) -> None:
        """As `remember`, where somebody else keeps it."""
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
