"""Plain data on the wire, as a flat table: no pickle, no recursion, nothing but exact built-in types comes out.

A message's values are atoms: None, bool, int, float and str as JSON has them, and `[index]` for an entry of the
message's table. An entry is a list `[tag, …]` of atoms. A deep, cyclic or shared structure is as flat as any other.
`encoder.py` writes tables, `decoder.py` reads them.
"""

from collections.abc import Callable
from typing import Any, Final, Protocol

from refute.driver.order import Order

Atom = Any
Entry = list[Any]
MAX_ENTRIES: Final = 3_000_000
"""Entries of one table; a million nested lists are still carried."""


class Objects(Protocol):
    """What knows everything that is no plain data."""

    def sid_of(self, value: object) -> int | None:
        """The number under which a container is shared, if it is."""
        ...

    def share(self, value: Any) -> int:
        """Share a container; its number."""
        ...

    def entry_of(self, value: Any, encoder: Any) -> Entry:
        """The entry of an object that is lent, borrowed, or copied by rules of its own."""
        ...

    def shell(self, entry: Entry) -> Any:
        """The object of a foreign entry, perhaps still empty."""
        ...

    def derived(self, entry: Entry, content: Any) -> Any:
        """An immutable value of a type derived from a built-in one."""
        ...

    def fill(self, made: Any, entry: Entry, value_of: Callable[[Atom], Any]) -> Any:
        """Finish a foreign object; what is returned takes its place."""
        ...

    def container(self, sid: int) -> Any:
        """The container that is shared under a number, or None."""
        ...

    def adopt(self, sid: int, value: Any) -> None:
        """Remember a container that the other side shares."""
        ...

    def refill(self, sid: int, parts: Any, order: Order) -> bool:
        """Take what the other side says that a container holds; False where a change of this side is lost by it."""
        ...

    def lose(self, reason: str) -> None:
        """Note that something of the running test could not be carried."""
        ...
