"""Objects of classes that derive from a built-in value: the value alone, and the object of a value."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from types import BuiltinFunctionType
from typing import Any, Final

DAY: Final = ("year", "month", "day")
CLOCK: Final = ("hour", "minute", "second", "microsecond", "tzinfo", "fold")


def _read(kind: type, names: tuple[str, ...], value: Any) -> list[Any]:
    """What a type's own descriptors find; a class that derives from it may have covered them."""
    return [vars(kind)[name].__get__(value) for name in names]


def _moment(value: Any) -> dt.datetime:
    *parts, fold = *_read(dt.date, DAY, value), *_read(dt.datetime, CLOCK, value)
    return dt.datetime(*parts, fold=fold)  # noqa: DTZ001  # the last of the parts is its zone


BASE_VALUES: Final[dict[type, Callable[[Any], Any]]] = {
    int: int.__int__,
    float: float.__float__,
    complex: lambda value: complex.__add__(value, 0),
    str: str.__str__,
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    Decimal: Decimal,
    dt.datetime: _moment,
    dt.date: lambda value: dt.date(*_read(dt.date, DAY, value)),
}
"""Type → the plain value of an object of a class derived from it; a type stands before those it derives from."""
VALUE_TYPES: Final = tuple(BASE_VALUES)


def base_value(value: Any) -> Any:
    """The value of an object derived from a built-in type, as that type, whatever its methods say."""
    for base, plain in BASE_VALUES.items():
        if isinstance(value, base):
            return plain(value)
    return None


def remade(kind: type, content: Any) -> Any:
    """An object of a class, of the plain value that it derives from; no code of the class's own runs."""
    base: Any = type(content)
    if base is dt.datetime:
        return base.__new__(kind, *_read(dt.date, DAY, content), *_read(base, CLOCK[:-1], content), fold=content.fold)
    if base is dt.date:
        return base.__new__(kind, *_read(base, DAY, content))
    if "n_sequence_fields" in vars(kind) and isinstance(kind.__new__, BuiltinFunctionType):  # only it makes itself
        return kind.__new__(kind, content)
    return base.__new__(kind, content)
