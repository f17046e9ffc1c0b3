"""ObjectTable of classes that derive from a built-in value: the value alone, and the object of a value."""

import contextlib
import datetime as dt
import ipaddress
import uuid
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import PosixPath, PurePath, PurePosixPath, PureWindowsPath
from types import BuiltinFunctionType
from typing import Any, Final


def _reader(kind: Any, make: Callable[..., Any], *names: str) -> Callable[[Any], Any]:
    """Made anew of what a type's own descriptors find; a class that derives from it may have covered them."""
    getters = [vars(kind)[name].__get__ for name in names]
    return lambda value: make(*(get(value) for get in getters))


def _moment(*parts: Any) -> dt.datetime:
    return dt.datetime(*parts[:8], fold=parts[8])  # noqa: DTZ001  # the last of them is its zone


def _time(*parts: Any) -> dt.time:
    return dt.time(*parts[:5], fold=parts[5])


def _scoped(number: int, scope: str | None) -> ipaddress.IPv6Address:
    plain = ipaddress.IPv6Address(number)
    return plain if scope is None else ipaddress.IPv6Address(f"{plain}%{scope}")


DAY: Final = ("year", "month", "day")
CLOCK: Final = ("hour", "minute", "second", "microsecond")


def _moment_of(value: Any) -> dt.datetime:
    day = [vars(dt.date)[name].__get__(value) for name in DAY]
    return _moment(*day, *(vars(dt.datetime)[name].__get__(value) for name in (*CLOCK, "tzinfo", "fold")))


def _path(kind: Any) -> Callable[[Any], Any]:
    return lambda value: kind(PurePath.__str__(value))


BASE_VALUES: Final[dict[type, Callable[[Any], Any]]] = {
    int: int.__int__,
    float: float.__float__,
    complex: lambda value: complex.__add__(value, 0),
    str: str.__str__,
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    Decimal: Decimal,
    **{kind: _path(kind) for kind in (PosixPath, PurePosixPath, PureWindowsPath)},
    dt.datetime: _moment_of,
    dt.date: _reader(dt.date, dt.date, *DAY),
    dt.time: _reader(dt.time, _time, *CLOCK, "tzinfo", "fold"),
    dt.timedelta: _reader(dt.timedelta, dt.timedelta, "days", "seconds", "microseconds"),
    Fraction: _reader(Fraction, Fraction, "_numerator", "_denominator"),
    uuid.UUID: _reader(uuid.UUID, lambda number: uuid.UUID(int=number), "int"),
    ipaddress.IPv4Address: _reader(ipaddress.IPv4Address, ipaddress.IPv4Address, "_ip"),
    ipaddress.IPv6Address: _reader(ipaddress.IPv6Address, _scoped, "_ip", "_scope_id"),
}
"""Type → the plain value of an object of a class derived from it; a type stands before those it derives from."""
VALUE_TYPES: Final = tuple(BASE_VALUES)
MADE_BY: Final[dict[type, Callable[[Any, Any], Any]]] = {
    dt.date: lambda kind, v: dt.date.__new__(kind, v.year, v.month, v.day),
    dt.datetime: lambda kind, v: dt.datetime.__new__(
        kind, v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond, v.tzinfo, fold=v.fold
    ),
    dt.time: lambda kind, v: dt.time.__new__(kind, v.hour, v.minute, v.second, v.microsecond, v.tzinfo, fold=v.fold),
    dt.timedelta: lambda kind, v: dt.timedelta.__new__(kind, v.days, v.seconds, v.microseconds),
}
"""What no type's own `__new__` makes of one value."""


def base_value(value: Any) -> Any:
    """The value of an object derived from a built-in type, as that type, whatever its methods say."""
    for base, plain in BASE_VALUES.items():
        if isinstance(value, base):
            return plain(value)
    return None


def remade(kind: type, content: Any) -> Any:
    """An object of a class, of the value that it derives from; no code of the class's own runs."""
    base: Any = type(content)
    if base in MADE_BY:
        return MADE_BY[base](kind, content)
    slots = [slot for one in base.__mro__ for slot in vars(one).get("__slots__", ())]
    if "n_sequence_fields" in vars(kind) and isinstance(kind.__new__, BuiltinFunctionType):  # only it makes itself
        return kind.__new__(kind, content)
    if base.__module__ == "builtins" or base is Decimal:
        return base.__new__(kind, content)
    made: Any = object.__new__(kind)
    for name in [*slots, *getattr(content, "__dict__", ())]:
        with contextlib.suppress(AttributeError):  # a slot that nothing was put into as yet
            object.__setattr__(made, name, object.__getattribute__(content, name))
    return made
