"""Plain data on the wire, as a flat table: no pickle, no recursion, nothing but exact built-in types comes out."""

import base64
from collections.abc import Callable, Sequence
from typing import Any, Final

from refute.driver.containers import (
    CONTAINERS,
    MUTABLE,
    SCALARS,
    SINGLETONS,
    TAG_OF,
    is_flat,
    is_plain,
    parts_of,
    simple,
    tag_of,
)
from refute.driver.values import MAKERS, VALUES
from refute.driver.wire import CannotCarryBack, Malformed

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
        if kind in TAG_OF or (issubclass(kind, MUTABLE) and not self._objects.is_handle(kind)):
            return self._open_container(value, TAG_OF.get(kind) or tag_of(kind))
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

    def _open_container(self, value: Any, tag: str) -> tuple[Entry, Sequence[Any] | None]:
        known = self._objects.shared.sid_of(value)
        if known is not None and id(value) not in self._changed:
            entry: Entry = ["=", known]
            self.reserve(value, entry)
            return entry, None
        number = self._objects.shared.share(value) if known is None else known
        entry = [tag, number, None]
        if known is None and type(value) is not CONTAINERS[tag]:
            entry += self._objects.told_container(value)
        self.reserve(value, entry)
        return entry, parts_of(value)

    def _finish(self, value: Any, entry: Entry, parts: Sequence[Any]) -> None:
        atoms = list(parts) if is_flat(parts) else [self.atom(part) for part in parts]
        if entry[0] in CONTAINERS:
            entry[2] = atoms
        elif id(value) not in self._places:  # a cycle may have led here before
            self.reserve(value, [*entry, atoms])


UNMADE: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, BufferError, OSError)
"""What making a value may raise."""


class Decoder:
    """Rebuilds the values of one message as exact types. Raises Malformed: the table is none that an Encoder writes."""

    def __init__(self, table: list[Entry], objects: Any, heard: int = 0) -> None:
        self._objects = objects
        self._heard = heard
        self._made: list[Any] = [None] * len(table)
        self._ready = [False] * len(table)
        if not table:
            return
        try:
            for place, entry in enumerate(table):
                self._shell(place, entry)
            for place, entry in enumerate(table):
                if not self._ready[place]:
                    self._made[place] = self._immutable(entry)
                    self._ready[place] = True
            for place, entry in enumerate(table):
                self._fill(place, entry)
        except (IndexError, TypeError, ValueError, KeyError, AttributeError, OverflowError, ArithmeticError) as error:
            raise Malformed(f"a value on the wire is none: {type(error).__name__}") from error

    def value(self, atom: Atom) -> Any:
        """The value of an atom."""
        if type(atom) is not list:
            if type(atom) not in SCALARS:
                raise Malformed("an atom on the wire is none")
            return atom
        place = atom[0] if len(atom) == 1 else None
        if type(place) is not int or not 0 <= place < len(self._ready) or not self._ready[place]:
            raise Malformed("a value on the wire refers to nothing")
        return self._made[place]

    def values(self, atoms: list[Atom]) -> list[Any]:
        """The values of a list of atoms."""
        if SCALARS.issuperset(map(type, atoms)):
            return list(atoms)
        return [self.value(atom) for atom in atoms]

    def _shell(self, place: int, entry: Entry) -> None:
        tag = entry[0]
        if tag in {"t", "f", "C", "v"}:
            return
        if tag in CONTAINERS:
            known = self._objects.shared.container(entry[1])
            if known is None:
                known = CONTAINERS[tag]() if len(entry) == 3 else self._objects.container(*entry)  # noqa: PLR2004  # tag, number, parts
                self._objects.shared.adopt(entry[1], known)
            elif tag_of(type(known)) != tag:
                raise Malformed("a shared container changed its type")
            self._made[place] = known
        elif tag == "=":
            self._made[place] = self._objects.shared.container(entry[1])
            if self._made[place] is None:
                raise Malformed("a shared container is unknown")
        else:
            self._made[place] = self._plain(entry) if tag in {"i", "S", "b", "k"} else self._objects.shell(entry)
        self._ready[place] = True

    @staticmethod
    def _plain(entry: Entry) -> Any:
        tag, text = entry
        if tag == "i":
            return int(text, 16)
        if tag == "k":
            return SINGLETONS[text]
        data = base64.b64decode(text, validate=True)
        return data if tag == "b" else data.decode("utf-8", "surrogatepass")

    def _immutable(self, entry: Entry) -> Any:
        if entry[0] == "v":
            content = self.value(entry[-1])
            return self._attempt(type(content).__name__, lambda: self._objects.derived(entry, content))
        parts = self.values(entry[-1])
        if entry[0] == "C":
            maker = MAKERS[entry[1]]
            return self._attempt(entry[1], lambda: maker(*parts))
        return tuple(parts) if entry[0] == "t" else self._attempt("frozenset", lambda: frozenset(parts))

    def _fill(self, place: int, entry: Entry) -> None:
        tag = entry[0]
        if tag in CONTAINERS:
            parts = self.values(entry[2])
            if tag in {"d", "od", "ct"} and len(parts) % 2:
                raise Malformed("a mapping has a key without a value")
            self._attempt(CONTAINERS[tag].__name__, lambda: self._refill(entry[1], parts))
        elif tag not in {"t", "f", "C", "v", "=", "i", "S", "b", "k"}:
            self._made[place] = self._objects.fill(self._made[place], entry, self.value)

    def _attempt(self, what: str, make: Callable[[], Any]) -> Any:
        """What is made of parts that were carried; where it cannot be, the test is told so: honest code gets here."""
        try:
            return make()
        except UNMADE as error:
            reason = f"a value cannot be made in the other process ({what}: {type(error).__name__}: {error})"
            self._objects.lose(reason[:500])
            return None

    def _refill(self, sid: int, parts: Any) -> None:
        if not self._objects.shared.refill(sid, parts, self._heard):
            self._objects.lose("the test and the implementation changed one container at the same time")
