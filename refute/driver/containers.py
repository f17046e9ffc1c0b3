"""Containers that can be changed in place: their parts, read and put back whatever a subclass says of itself."""

import base64
import dataclasses
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Sequence
from itertools import chain
from types import NoneType
from typing import Any, Final

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
    "l": list, "d": dict, "s": set, "B": bytearray, "A": array,
    "od": OrderedDict, "dd": defaultdict, "ct": Counter, "dq": deque,
}  # fmt: skip
"""Tags of what can be changed in place."""
TAG_OF: Final = {kind: tag for tag, kind in CONTAINERS.items()}


def empty(tag: str, entry: list[Any]) -> Any:
    """A container of an entry of the wire that holds nothing yet."""
    if tag == "A":
        return array(entry[2][-1])
    return deque(maxlen=entry[2][-1]) if tag == "dq" else CONTAINERS[tag]()


def parts_of(value: Any) -> list[Any]:
    """The parts of a container, keys and values in turn for a mapping; subclasses are read as their base."""
    if isinstance(value, dict):
        pairs = OrderedDict.items(value) if isinstance(value, OrderedDict) else dict.items(value)
        parts = list(chain.from_iterable(pairs))
        return [*parts, value.default_factory] if isinstance(value, defaultdict) else parts
    if isinstance(value, bytearray | array):
        return [*value, value.typecode] if isinstance(value, array) else list(value)
    if isinstance(value, deque):
        return [*deque.__iter__(value), deque.maxlen.__get__(value)]
    return list(set.__iter__(value)) if isinstance(value, set) else list(list.__iter__(value))


def refill(value: Any, parts: list[Any]) -> None:
    """Give a container these parts, in place. Raises BufferError: a view of it holds its size."""
    if isinstance(value, dict):
        if isinstance(value, defaultdict):
            value.default_factory = parts.pop()
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
    elif isinstance(value, bytearray | array):
        content: Any = array(parts.pop(), parts) if isinstance(value, array) else bytes(parts)
        value[:] = content
    elif isinstance(value, set):
        set.clear(value)
        set.update(value, parts)
    else:
        list.__setitem__(value, slice(None), parts)
