"""Plain data on the wire, as a flat table: no pickle, no recursion, nothing but exact built-in types comes out.

A message's values are atoms: None, bool, int, float and str as JSON has them, and `[index]` for an entry of the
message's table. An entry is a list `[tag, …]` of atoms. A deep, cyclic or shared structure is as flat as any other.
"""

from collections.abc import Sequence
from typing import Any, Final

from refute.driver.containers import (
    CONTAINERS,
    SCALARS,
    TAG_OF,
    is_flat,
    is_plain,
    parts_of,
    simple,
)
from refute.driver.errors import CannotCarryBack
from refute.driver.plain_values import VALUES

Atom = Any
Entry = list[Any]
MAX_ENTRIES: Final = 3_000_000
"""Entries of one table; a million nested lists are still carried."""


class Encoder:
    """Writes the values of one message."""

    def __init__(self, objects: Any) -> None:
        self.table: list[Entry] = []
        self._objects = objects
        self._places: dict[int, int] = {}
        self._changed: dict[int, int] = {}
        self._kept: list[Any] = []  # an id stands for its object only while the object lives

    def atom(self, value: Any) -> Atom:
        """One value, and whatever it consists of."""
        kind = type(value)
        if kind in SCALARS and is_plain(value, kind):
            return value
        if id(value) not in self._places:
            self._place(value)
        return [self._places[id(value)]]

    def update(self, changed: dict[int, Any]) -> None:
        """Shared containers that have changed, by number: their whole content."""
        self._changed = {id(value): sid for sid, value in changed.items()}
        for value in changed.values():
            if id(value) not in self._places:
                self._place(value)

    def is_changed(self, value: Any) -> bool:
        """Whether it is one of the containers of `update`."""
        return id(value) in self._changed

    def reserve(self, value: Any, entry: Entry) -> Entry:
        """Put an entry into the table before its parts are known: its parts may lead back to it."""
        self._kept.append(value)
        self._places[id(value)] = len(self.table)
        self.table.append(entry)
        return entry

    def _place(self, root: Any) -> None:
        work: list[tuple[Any, Entry | None, Sequence[Any] | None]] = [(root, None, None)]
        while work:
            value, entry, parts = work.pop()
            if parts is not None and entry is not None:
                self._finish(value, entry, parts)
                continue
            if id(value) in self._places:
                continue
            entry, parts = self._open(value)
            if parts and not is_flat(parts):
                work.append((value, entry, parts))
                work.extend(
                    (part, None, None)
                    for part in parts
                    if id(part) not in self._places and not (type(part) in SCALARS and is_plain(part, type(part)))
                )
            elif parts is not None:
                self._finish(value, entry, parts)

    def _open(self, value: Any) -> tuple[Entry, Sequence[Any] | None]:
        """The entry of a value and the parts that are still to be written; None where it is complete."""
        if len(self.table) > MAX_ENTRIES:
            raise CannotCarryBack(f"the value is too large to pass: more than {MAX_ENTRIES} parts")
        kind = type(value)
        if kind in TAG_OF:
            return self._open_container(value, kind)
        if kind is tuple or kind is frozenset:
            parts = value if kind is tuple else tuple(value)
            entry: Entry = ["t" if kind is tuple else "f"]
            if is_flat(parts):
                self.reserve(value, [entry[0], list(parts)])
                return entry, None
            return entry, parts
        if kind in VALUES:
            name, take_apart, _ = VALUES[kind]
            if (found := take_apart(value)) is not None:
                self._kept.append(found)
                return ["C", name], found
        if kind.__module__ == "zoneinfo" and type(getattr(value, "key", None)) is str:
            return ["C", "ZoneInfo"], [value.key]
        made = simple(value, kind) or self._objects.entry_of(value, self)
        if id(value) not in self._places:
            self.reserve(value, made)
        return made, None

    def _open_container(self, value: Any, kind: type) -> tuple[Entry, Sequence[Any] | None]:
        known = self._objects.shared.sid_of(value)
        if known is not None and id(value) not in self._changed:
            entry: Entry = ["=", known]
            self.reserve(value, entry)
            return entry, None
        number = self._objects.shared.share(value) if known is None else known
        entry = [TAG_OF[kind], number, None]
        self.reserve(value, entry)
        return entry, parts_of(value)

    def _finish(self, value: Any, entry: Entry, parts: Sequence[Any]) -> None:
        atoms = list(parts) if is_flat(parts) else [self.atom(part) for part in parts]
        if entry[0] in CONTAINERS:
            entry[2] = atoms
        elif id(value) not in self._places:  # a cycle may have led here before
            self.reserve(value, [*entry, atoms])
