"""Values of Python's own types, made anew from their parts, and objects of classes that derive from one."""

import datetime as dt
import ipaddress
import re
import time
import types
import typing
import uuid
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from operator import or_
from pathlib import PosixPath, PurePosixPath, PureWindowsPath
from types import BuiltinFunctionType
from typing import Any, Final


def _date_parts(value: dt.datetime) -> list[Any]:
    time_parts = [value.hour, value.minute, value.second, value.microsecond]
    return [value.year, value.month, value.day, *time_parts, value.tzinfo, value.fold]


def _zone(value: dt.timezone) -> list[Any]:
    name = value.tzname(None)
    plain = dt.timezone(value.utcoffset(None)).tzname(None)
    return [value.utcoffset(None)] if name == plain else [value.utcoffset(None), name]


def _forms(value: Any) -> list[Any] | None:
    """Origin and arguments of `list[int]`; text among these is code that `get_type_hints` runs, so it is not passed."""
    parts = [typing.get_origin(value), *typing.get_args(value)]
    plain = isinstance(parts[0], type) and parts[0].__module__ in {"builtins", "collections", "collections.abc"}
    return parts if plain and not any(map(_is_text, parts)) else None


def _alternatives(value: Any) -> list[Any] | None:
    """Those of `int | None`; where one is no class and made anew of no parts (`Box[T]`), it stays where it is."""
    parts = list(value.__args__)
    carried = (isinstance(one, type) or (type(one) in VALUES and VALUES[type(one)][1](one)) for one in parts)
    return parts if all(carried) else None


def _members(value: Any) -> list[Any] | None:
    """What a group of errors is made of at once; one with a cause or notes stays where it is."""
    stays = value.__cause__ is not None or vars(value)
    return None if stays else [value.message, value.__traceback__, *value.exceptions]


def _is_text(one: Any) -> bool:
    return isinstance(one, str | list | typing.ForwardRef)


def _made(make: Callable[[tuple[Any, ...]], Any]) -> Callable[..., Any]:
    """A maker of types. Its result raises ValueError: an argument is text, which no honest side passes."""

    def made(*args: Any) -> Any:
        if any(map(_is_text, args)):
            raise ValueError("a type's argument is text")
        return make(args)

    return made


VALUES: Final[dict[type, tuple[str, Callable[[Any], list[Any] | None], Callable[..., Any]]]] = {
    ExceptionGroup: (
        "group",
        _members,
        lambda message, traceback, *errors: ExceptionGroup(message, errors).with_traceback(traceback),
    ),
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
    **{
        kind: (kind.__name__, lambda v: [str(v)], kind)
        for kind in (
            ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network,
            ipaddress.IPv4Interface, ipaddress.IPv6Interface,
        )
    },
    types.UnionType: ("or", _alternatives, _made(lambda args: reduce(or_, args))),
    type(typing.Optional[int]): (  # noqa: UP045  # the other kind
        "union",
        _alternatives,
        _made(lambda args: typing.Union[args]),  # noqa: UP007  # of any number
    ),
    type(typing.Literal[1]): ("literal", lambda v: list(v.__args__), lambda *args: typing.Literal[args]),
    **{
        kind: ("alias", _forms, _made(lambda args: types.GenericAlias(args[0], args[1:])))
        for kind in (types.GenericAlias, type(typing.List[int]))  # noqa: UP006  # the other kind
    },
}  # fmt: skip
"""Values made anew from their parts: type → (name, parts, maker). Exact types only."""


def zone_of(key: str) -> Any:
    """A time zone of the system's data."""
    import zoneinfo

    return zoneinfo.ZoneInfo(key)


MAKERS: Final = {"ZoneInfo": zone_of} | {name: maker for name, _, maker in VALUES.values()}


BASE_VALUES: Final[dict[type, Callable[[Any], Any]]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
}
"""Type → the plain value of an object of a class derived from it."""
VALUE_TYPES: Final = tuple(BASE_VALUES)


def base_value(value: Any) -> Any:
    """The value of an object derived from a built-in type, as that type, whatever its methods say."""
    for base, plain in BASE_VALUES.items():
        if isinstance(value, base):
            return plain(value)
    return None


def remade(kind: type, content: Any) -> Any:
    """An object of a class, of the plain value that it derives from; no Python of the class's own runs."""
    base: Any = type(content)
    made_in_c = isinstance(kind.__new__, BuiltinFunctionType) and kind.__new__.__self__ is kind  # `numpy.float64`
    return (kind if made_in_c else base).__new__(kind, content)
