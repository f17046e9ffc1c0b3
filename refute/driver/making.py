"""What the subject may have made of a test's own objects and classes: copies, empty objects, derived classes."""

import copy
import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from refute.driver.base_values import VALUE_TYPES
from refute.driver.containers import CONTAINERS
from refute.driver.errors import CannotCarry, Malformed
from refute.driver.extending import named_members
from refute.driver.operations import Copies
from refute.driver.proxy.current import JUDGING
from refute.driver.proxy.roots import ProxyMeta

if TYPE_CHECKING:
    from refute.driver.callback_policy import CallbackPolicy

POSING: Final = frozenset({"pytest", "_pytest", "hypothesis", "unittest", "refute", "builtins"})
"""Packages as one of whose a derived class may not show itself."""


def as_class(kind: Any) -> type:
    """A class, as it is.

    Raises:
        Malformed: it is none.
    """
    if not isinstance(kind, type):
        raise Malformed("a class is none")
    return kind


def refuse(*_: Any, **__: Any) -> Any:
    """The subject may not.

    Raises:
        CannotCarry: always.
    """
    raise CannotCarry("needs the implementation in the test's process: it copies or changes an object of the test")


def making(door: "CallbackPolicy") -> dict[str, Callable[..., Any]]:
    """The operations, by name."""
    made = Making(door)
    return {
        "extend": made.extend,
        "subclasses": made.subclasses,
        "new": made.new,
        "copy": made.copy,
        "deepcopy": made.deepcopy,
    }


class Making:
    """Each operation works on what a test handed over, of classes of the test file.

    Args:
        door: knows what that is.
    """

    def __init__(self, door: "CallbackPolicy") -> None:
        self._door = door
        self._copies = Copies()

    def extend(self, place: Any, bases: Any, members: Any, keywords: Any) -> int:
        """Make a class that the implementation derives from the test's own.

        Operators that it brings are noted where they decide; in a value or a container any method may.
        """
        if not all(self._may_derive(base) for base in bases) or not all(self._may_have(name) for name, _, _ in members):
            refuse()
        if "metaclass" in keywords or str(place[2]).partition(".")[0] in POSING:
            refuse()
        if any(issubclass(base, (*VALUE_TYPES, *CONTAINERS.values())) for base in bases):
            self._door.judged()
        namespace = named_members(place, members)
        for name in JUDGING.intersection(namespace):
            namespace[name] = self._deciding(namespace[name])
        kind = types.new_class(place[0], bases, keywords, lambda names: names.update(namespace))
        self._door.derived.add(kind)
        cid = self._door.objects.lend(kind)
        self._door.objects.tell_nothing_of(kind, cid)
        return cid

    def _may_derive(self, base: Any) -> bool:
        """Whether a class is one of the test's, and neither derived from the implementation's nor an error."""
        self._door.require_lent(as_class(base))
        return self._door.is_ours(base) and not isinstance(base, ProxyMeta) and not issubclass(base, BaseException)

    def _may_have(self, name: Any) -> bool:
        """Whether a derived class may have a member of that name."""
        hidden = name[:2] == "__" and name not in self._door.attached
        return not hidden and not name.startswith(("_abc_", "_refute_", "_pytest"))

    def _deciding(self, function: Any) -> Any:
        """An operator of the subject's that says of an object of the test's what it is."""
        if not isinstance(function, types.FunctionType):
            return function

        @functools.wraps(function)
        def decide(*args: Any, **kwargs: Any) -> Any:
            self._door.decides()
            return function(*args, **kwargs)

        return decide

    def copy(self, one: Any) -> Any:
        """A shallow copy."""
        self._check_copied(one)
        return copy.copy(one)

    def deepcopy(self, one: Any, number: Any, pairs: Any) -> Any:
        """A deep copy, of `Copies`."""
        self._check_copied(one)
        return self._copies.deep(self._door.objects, one, number, pairs)

    def _check_copied(self, one: Any) -> None:
        self._door.require_lent(one)
        if not self._door.is_ours(type(one)) and not isinstance(one, self._door.records):
            refuse()

    def new(self, kind: Any, made: Any, /, *args: Any, **kwargs: Any) -> Any:
        """An object of a class without `__init__`."""
        for one in (as_class(kind), as_class(made)):
            self._door.require_lent(one)
        if not self._door.is_ours(kind) or not self._door.is_ours(made) or not issubclass(made, kind):
            refuse()
        return kind.__new__(made, *args, **kwargs)

    def subclasses(self, kind: Any) -> list[type]:
        """The classes of the test file that derive from one of it; no class of tests."""
        self._door.require_lent(as_class(kind))
        if not self._door.is_ours(kind):
            refuse()
        found = [one for one in type.__subclasses__(kind) if self._door.is_ours(one)]
        return [one for one in found if not one.__name__.startswith("Test")]
