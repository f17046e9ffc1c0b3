"""Containers that both processes hold: their parts, and how a change on either side reaches the other."""

import base64
import dataclasses
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Sequence
from itertools import chain
from operator import is_not
from sys import getrefcount
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from refute.driver.wire import Wire

SCALARS: Final = frozenset({NoneType, bool, int, float, str})
SAFE_INT: Final = 1 << 62
SINGLETONS: Final = {"Ellipsis": Ellipsis, "NotImplemented": NotImplemented, "MISSING": dataclasses.MISSING} | {
    name: vars(dataclasses)[name] for name in ("_FIELD", "_FIELD_CLASSVAR", "_FIELD_INITVAR", "_HAS_DEFAULT_FACTORY")
}


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


def is_plain(value: Any, kind: type) -> bool:
    """Whether JSON carries a value of SCALARS as it is."""
    if kind is str:
        return value.isascii() or _has_no_surrogate(value)
    return kind is not int or -SAFE_INT < value < SAFE_INT


def _has_no_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def simple(value: Any, kind: type) -> list[Any] | None:
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


CONTAINERS: Final[dict[str, type]] = {
    "l": list, "od": OrderedDict, "dd": defaultdict, "ct": Counter, "d": dict, "s": set, "B": bytearray, "dq": deque,
}  # fmt: skip
"""Tags of what can be changed in place; a type stands before those that it derives from."""
TAG_OF: Final = {kind: tag for tag, kind in CONTAINERS.items()}
MUTABLE: Final = tuple(TAG_OF)


def tag_of(kind: type) -> str:
    """The tag of a container's type, or of the one that it derives from. Raises StopIteration: it is none."""
    return next(tag for tag, base in CONTAINERS.items() if issubclass(kind, base))


def _is_hashed_here(key: Any) -> bool:
    """Whether nobody else is asked for a key's hash, as of a proxy: an OrderedDict hashes to find its order."""
    return all(map(_is_hashed_here, key)) if type(key) in {tuple, frozenset} else type(type(key)) is type


def parts_of(value: Any) -> list[Any]:
    """The parts of a container, keys and values in turn for a mapping; subclasses are read as their base."""
    if isinstance(value, dict):
        pairs = dict.items(value)
        if isinstance(value, OrderedDict) and all(map(_is_hashed_here, dict.keys(value))):
            pairs = OrderedDict.items(value)
        parts = list(chain.from_iterable(pairs))
        return [*parts, value.default_factory] if isinstance(value, defaultdict) else parts
    if isinstance(value, bytearray):
        return list(value)
    if isinstance(value, deque):
        return [*deque.__iter__(value), deque.maxlen.__get__(value)]
    return list(set.__iter__(value)) if isinstance(value, set) else list(list.__iter__(value))


def refill(value: Any, parts: list[Any]) -> None:
    """Give a container these parts, in place. Raises BufferError: a view of it holds its size."""
    if isinstance(value, dict):
        if isinstance(value, defaultdict):
            vars(defaultdict)["default_factory"].__set__(value, parts.pop())  # whatever a class derived from it sets
        dict.clear(value)
        if isinstance(value, OrderedDict):
            OrderedDict.clear(value)
        for key, item in zip(parts[::2], parts[1::2], strict=True):
            (OrderedDict if isinstance(value, OrderedDict) else dict).__setitem__(value, key, item)
    elif isinstance(value, deque):
        most = parts.pop()
        if deque.maxlen.__get__(value) != most:  # a class that derives from it may hide it
            deque.__init__(value, (), most)
        deque.clear(value)
        deque.extend(value, parts)
    elif isinstance(value, bytearray):
        value[:] = bytes(parts)
    elif isinstance(value, set):
        set.clear(value)
        set.update(value, parts)
    else:
        list.__setitem__(value, slice(None), parts)


OWN_REFERENCES = 2
"""References to a container that are ours: the entry's, and the argument of `getrefcount`."""


class Shared:
    """One container, and what it held when both sides last agreed."""

    __slots__ = ("is_filled", "parts", "sid", "told", "value")

    def __init__(self, sid: int, value: Any) -> None:
        self.sid = sid
        self.value = value
        self.told = 0
        """Number of the message that last told the other side of a change here."""
        self.is_filled = True
        """Not while it is given its parts, where a key's hash may be asked of the other side."""
        self.agree()

    def agree(self) -> None:
        """Take what it holds now for what the other side knows."""
        self.parts = parts_of(self.value)

    @property
    def changed(self) -> bool:
        """Whether it holds anything else than when both sides last agreed."""
        now = parts_of(self.value) if self.is_filled else self.parts
        return len(now) != len(self.parts) or any(map(is_not, now, self.parts))


class SharedContainers:
    """All shared containers of one side."""

    def __init__(self, first: int) -> None:
        self._next = self._first = first
        self._by_sid: dict[int, Shared] = {}
        self._by_id: dict[int, Shared] = {}
        self.own_changed = False
        """Whether the other side has changed a container of this one."""
        self.wires: weakref.WeakSet[Wire] = weakref.WeakSet()
        """Connections that are open."""

    @property
    def overtaken(self) -> bool:
        """Whether threads talk over connections of their own, so that messages may overtake one another."""
        return len(self.wires) > 1

    def sid_of(self, value: object) -> int | None:
        """The number of a shared container."""
        shared = self._by_id.get(id(value))
        return shared.sid if shared is not None else None

    def container(self, sid: int) -> Any:
        """The container of a number, or None."""
        shared = self._by_sid.get(sid)
        return shared.value if shared is not None else None

    def refill(self, sid: int, parts: Any, heard: int) -> bool:
        """Give a container what the other side says that it holds.

        Args:
            sid: of a shared container.
            parts: as of `parts_of`.
            heard: up to which number the other side had heard our messages.

        Returns:
            False where a change is lost: both sides made one, neither knowing of the other's, or a view holds its size.
        """
        shared = self._by_sid[sid]
        self.own_changed = self.own_changed or sid % 2 == self._first
        alone = not self.overtaken or (shared.told <= heard and not shared.changed)
        shared.is_filled = False
        try:
            refill(shared.value, parts)
        except BufferError:
            return False
        finally:
            shared.is_filled = True
        shared.agree()
        return alone

    def tell(self, sids: list[int], number: int) -> None:
        """The message of this number tells the other side how these have changed."""
        for sid in sids:
            self._by_sid[sid].told = number

    def share(self, value: Any) -> int:
        """Share a container of this side."""
        sid, self._next = self._next, self._next + 2
        self.adopt(sid, value)
        return sid

    def adopt(self, sid: int, value: Any) -> None:
        """Share a container under a number of the other side's."""
        self._by_sid[sid] = self._by_id[id(value)] = Shared(sid, value)

    def agree(self, sids: list[int]) -> None:
        """After a message: both sides hold the same again."""
        for sid in sids:
            if sid in self._by_sid:
                self._by_sid[sid].agree()

    def changed(self) -> list[Shared]:
        """Containers that changed since both sides last agreed."""
        return [shared for shared in list(self._by_sid.values()) if shared.changed]

    def drop(self, sids: list[int]) -> None:
        """Stop sharing."""
        for sid in sids:
            shared = self._by_sid.pop(sid, None)
            if shared is not None and self._by_id.get(id(shared.value)) is shared:
                del self._by_id[id(shared.value)]

    def let_go(self) -> list[int]:
        """Stop sharing what nobody on this side but us still refers to; their numbers.

        Not while several threads talk: messages that are on their way may still name them.
        """
        if self.overtaken:
            return []
        released: list[int] = []
        waiting = list(self._by_sid.values())
        while waiting:
            one = waiting.pop()
            if one.sid in self._by_sid and getrefcount(one.value) <= OWN_REFERENCES and not one.changed:
                released.append(one.sid)
                waiting += [self._by_id[key] for key in map(id, one.parts) if key in self._by_id]  # what it held
                self.drop([one.sid])
        return released
