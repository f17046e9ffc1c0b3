"""Plain data on the wire, as a flat table: no pickle, no recursion, nothing but exact built-in types comes out.

A message's values are atoms: None, bool, int, float and str as JSON has them, and `[index]` for an entry of the
message's table. An entry is a list `[tag, …]` of atoms. A deep, cyclic or shared structure is as flat as any other.
"""

import array
import base64
import datetime as dt
import ipaddress
import re
import time
import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from pathlib import PosixPath, PurePosixPath, PureWindowsPath
from types import NoneType
from typing import Any, Final, Protocol

from refute.driver.carriage import CannotCarry, Malformed

Atom = Any
Entry = list[Any]
SCALARS: Final = frozenset({NoneType, bool, int, float, str})
SAFE_INT: Final = 1 << 62
MAX_ENTRIES: Final = 3_000_000
"""Entries of one table; a million nested lists are still carried."""

SINGLETONS: Final = {"Ellipsis": Ellipsis, "NotImplemented": NotImplemented}
CONTAINERS: Final[dict[str, type]] = {
    "l": list, "d": dict, "s": set, "B": bytearray, "od": OrderedDict, "dd": defaultdict, "ct": Counter, "dq": deque,
}  # fmt: skip
"""Tags of what can be changed in place."""
TAG_OF: Final = {kind: tag for tag, kind in CONTAINERS.items()}
MAPPINGS: Final = (dict, OrderedDict, defaultdict, Counter)


def _date_parts(value: dt.datetime) -> list[Any]:
    time_parts = [value.hour, value.minute, value.second, value.microsecond]
    return [value.year, value.month, value.day, *time_parts, value.tzinfo, value.fold]


def _zone(value: dt.timezone) -> list[Any]:
    name = value.tzname(None)
    plain = dt.timezone(value.utcoffset(None)).tzname(None)
    return [value.utcoffset(None)] if name == plain else [value.utcoffset(None), name]


VALUES: Final[dict[type, tuple[str, Callable[[Any], list[Any]], Callable[..., Any]]]] = {
    complex: ("complex", lambda v: [v.real, v.imag], complex),
    range: ("range", lambda v: [v.start, v.stop, v.step], range),
    slice: ("slice", lambda v: [v.start, v.stop, v.step], slice),
    dt.date: ("date", lambda v: [v.year, v.month, v.day], dt.date),
    dt.datetime: ("datetime", _date_parts, lambda *p: dt.datetime(*p[:8], fold=p[8]),  # noqa: DTZ001  # p[7] is its zone
    ),
    dt.time: (
        "time",
        lambda v: [v.hour, v.minute, v.second, v.microsecond, v.tzinfo, v.fold],
        lambda *p: dt.time(*p[:5], fold=p[5]),
    ),
    dt.timedelta: ("timedelta", lambda v: [v.days, v.seconds, v.microseconds], dt.timedelta),
    dt.timezone: ("timezone", _zone, dt.timezone),
    Decimal: ("Decimal", lambda v: [str(v)], Decimal),
    Fraction: ("Fraction", lambda v: [v.numerator, v.denominator], Fraction),
    uuid.UUID: ("UUID", lambda v: [v.int], lambda number: uuid.UUID(int=number)),
    PosixPath: ("Path", lambda v: [str(v)], PosixPath),
    PurePosixPath: ("PurePosixPath", lambda v: [str(v)], PurePosixPath),
    PureWindowsPath: ("PureWindowsPath", lambda v: [str(v)], PureWindowsPath),
    re.Pattern: ("Pattern", lambda v: [v.pattern, v.flags], re.compile),
    time.struct_time: ("struct_time", lambda v: [tuple(v)], time.struct_time),
    array.array: ("array", lambda v: [v.typecode, v.tobytes()], array.array),
    **{
        kind: (kind.__name__, lambda v: [str(v)], kind)
        for kind in (
            ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network,
            ipaddress.IPv4Interface, ipaddress.IPv6Interface,
        )
    },
}  # fmt: skip
"""Values made anew from their parts: type → (name, parts, maker). Exact types only."""
MAKERS: Final = {name: maker for name, _, maker in VALUES.values()}


class Objects(Protocol):
    """What knows everything that is no plain data."""

    def sid_of(self, value: object) -> int | None:
        """The number under which a container is shared, if it is."""
        ...

    def share(self, value: Any) -> int:
        """Share a container; its number."""
        ...

    def entry_of(self, value: Any, encoder: "Encoder") -> Entry:
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


class Encoder:
    """Writes the values of one message."""

    def __init__(self, objects: Objects) -> None:
        self.table: list[Entry] = []
        self._objects = objects
        self._places: dict[int, int] = {}
        self._changed: dict[int, int] = {}
        self._kept: list[Any] = []  # an id stands for its object only while the object lives

    def atom(self, value: Any) -> Atom:
        """One value, and whatever it consists of."""
        kind = type(value)
        if kind in SCALARS and _is_plain(value, kind):
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
                    if id(part) not in self._places and not (type(part) in SCALARS and _is_plain(part, type(part)))
                )
            elif parts is not None:
                self._finish(value, entry, parts)

    def _open(self, value: Any) -> tuple[Entry, Sequence[Any] | None]:
        """The entry of a value and the parts that are still to be written; None where it is complete."""
        if len(self.table) > MAX_ENTRIES:
            raise CannotCarry(f"the value is too large to pass: more than {MAX_ENTRIES} parts")
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
            self._kept.append(parts := take_apart(value))
            return ["C", name], parts
        if (plain := _simple(value, kind)) is not None:
            self.reserve(value, plain)
            return plain, None
        made = self._objects.entry_of(value, self)
        if id(value) not in self._places:
            self.reserve(value, made)
        return made, None

    def _open_container(self, value: Any, kind: type) -> tuple[Entry, Sequence[Any] | None]:
        known = self._objects.sid_of(value)
        if known is not None and id(value) not in self._changed:
            entry: Entry = ["=", known]
            self.reserve(value, entry)
            return entry, None
        number = self._objects.share(value) if known is None else known
        entry = [TAG_OF[kind], number, None]
        self.reserve(value, entry)
        if kind is bytearray:
            entry[2] = base64.b64encode(value).decode()
            return entry, None
        return entry, parts_of(value)

    def _finish(self, value: Any, entry: Entry, parts: Sequence[Any]) -> None:
        atoms = list(parts) if is_flat(parts) else [self.atom(part) for part in parts]
        if entry[0] in CONTAINERS:
            entry[2] = atoms
        elif id(value) not in self._places:  # a cycle may have led here before
            self.reserve(value, [*entry, atoms])


def parts_of(value: Any) -> list[Any]:
    """The parts of a container, keys and values in turn for a mapping; subclasses are read as their base."""
    if isinstance(value, dict):
        pairs = OrderedDict.items(value) if isinstance(value, OrderedDict) else dict.items(value)
        parts = list(chain.from_iterable(pairs))
        return [*parts, value.default_factory] if isinstance(value, defaultdict) else parts
    if isinstance(value, deque):
        return [*deque.__iter__(value), value.maxlen]
    return list(set.__iter__(value)) if isinstance(value, set) else list(list.__iter__(value))


def refill(value: Any, parts: list[Any]) -> None:
    """Give a container these parts, in place."""
    if isinstance(value, dict):
        if isinstance(value, defaultdict):
            value.default_factory = parts.pop()
        dict.clear(value)
        if isinstance(value, OrderedDict):
            OrderedDict.clear(value)
        for key, item in zip(parts[::2], parts[1::2], strict=True):
            (OrderedDict if isinstance(value, OrderedDict) else dict).__setitem__(value, key, item)
    elif isinstance(value, deque):
        parts.pop()
        deque.clear(value)
        deque.extend(value, parts)
    elif isinstance(value, set):
        set.clear(value)
        set.update(value, parts)
    else:
        list.__setitem__(value, slice(None), parts)


def is_flat(parts: Sequence[Any]) -> bool:
    """Whether all parts are scalars that JSON carries as they are; quick for long lists."""
    kinds = set(map(type, parts))
    if not kinds <= SCALARS:
        return False
    if int in kinds:
        numbers = parts if kinds <= {int, bool} else [part for part in parts if type(part) is int]
        if not (min(numbers) > -SAFE_INT and max(numbers) < SAFE_INT):
            return False
    return str not in kinds or all(part.isascii() or _has_no_surrogate(part) for part in parts if type(part) is str)


def _is_plain(value: Any, kind: type) -> bool:
    if kind is str:
        return value.isascii() or _has_no_surrogate(value)
    return kind is not int or -SAFE_INT < value < SAFE_INT


def _has_no_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _simple(value: Any, kind: type) -> Entry | None:
    """The entry of a value without parts."""
    if kind is int:
        return ["i", hex(value)]
    if kind is str:
        return ["S", base64.b64encode(value.encode("utf-8", "surrogatepass")).decode()]
    if kind is bytes:
        return ["b", base64.b64encode(value).decode()]
    for name, single in SINGLETONS.items():
        if value is single:
            return ["k", name]
    return None


class Decoder:
    """Rebuilds the values of one message as exact types.

    Args:
        table: as it arrived, unchecked.
        objects: knows shared containers and foreign objects.

    Raises:
        Malformed: the table is none that an Encoder writes.
    """

    def __init__(self, table: list[Entry], objects: Objects) -> None:
        self._objects = objects
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
            known = self._objects.container(entry[1])
            if known is None:
                known = deque(maxlen=entry[2][-1]) if tag == "dq" else CONTAINERS[tag]()
                self._objects.adopt(entry[1], known)
            elif type(known) is not CONTAINERS[tag]:
                raise Malformed("a shared container changed its type")
            self._made[place] = known
        elif tag == "=":
            self._made[place] = self._objects.container(entry[1])
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
            return self._objects.derived(entry, self.value(entry[-1]))
        parts = self.values(entry[-1])
        if entry[0] == "C":
            return MAKERS[entry[1]](*parts)
        return tuple(parts) if entry[0] == "t" else frozenset(parts)

    def _fill(self, place: int, entry: Entry) -> None:
        tag = entry[0]
        if tag == "B":
            self._made[place][:] = base64.b64decode(entry[2], validate=True)
        elif tag in CONTAINERS:
            refill(self._made[place], self.values(entry[2]))
        elif tag not in {"t", "f", "C", "v", "=", "i", "S", "b", "k"}:
            self._made[place] = self._objects.fill(self._made[place], entry, self.value)
