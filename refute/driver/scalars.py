"""Values that JSON carries as they are, and what tells them from others."""

import base64
import dataclasses
from collections.abc import Sequence
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
