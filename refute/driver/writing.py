"""Writes objects that are no plain data: each kind has an entry of its own."""

import enum
from types import (
    CoroutineType,
    FunctionType,
    GenericAlias,
    MethodType,
    MethodWrapperType,
    ModuleType,
    TracebackType,
    UnionType,
)
from typing import Any, Final, ParamSpec, TypeVar

from refute.driver.codec import Encoder, Entry
from refute.driver.containers import CONTAINERS, parts_of
from refute.driver.error_transport import frames_of, has_changed, tell_error
from refute.driver.errors import CannotCarry, CannotCarryBack, Uncarried
from refute.driver.known import function_name
from refute.driver.proxy.describing import FUNCTIONS
from refute.driver.proxy.functions import Member
from refute.driver.proxy.roots import ProxyObject
from refute.driver.values import VALUE_TYPES, base_value

CALLABLE: Final = (*FUNCTIONS, MethodType, MethodWrapperType)
MUTABLE: Final = tuple(CONTAINERS.values())

NO_VALUE: Final = (memoryview, UnionType, GenericAlias, TypeVar, ParamSpec)
"""Neither objects that can stay where they are, nor made of parts, unless of plain ones."""


class Writing:
    """Entries of objects of this side, and of stand-ins that go back.

    Args:
        table: of the objects.
    """

    def __init__(self, table: Any) -> None:
        self._table = table

    def entry_of(self, value: Any, encoder: Encoder) -> Entry:  # noqa: C901, PLR0911  # one return per kind of object
        """The entry of an object that is no plain data."""
        oid = self._table.proxies.oid_of(value)
        if oid is not None:
            return self._borrowed_entry(oid, value, encoder)
        kind = type(value)  # not what it says of itself: a lazy proxy's `__class__` is that of another object
        if issubclass(kind, type):
            return ["T", self._table.classes.token(value)]
        if issubclass(kind, Member):
            return ["m", value._refute_of_, value._refute_name_]
        if issubclass(kind, TracebackType):
            return ["tb", frames_of(value)]
        if issubclass(kind, BaseException):
            return tell_error(value, self._table, encoder)
        if issubclass(kind, enum.Enum):
            return ["E", self._table.classes.token(kind), value._name_, encoder.atom(value._value_)]
        if issubclass(kind, VALUE_TYPES):  # also where its class has a mirrored mixin among its bases
            return self._derived_entry(value, encoder)
        if issubclass(kind, MUTABLE) and not issubclass(kind, ProxyObject):
            return self._container_entry(value, encoder)
        if issubclass(kind, CALLABLE):
            return self._function_entry(value)
        if issubclass(kind, Uncarried):
            raise CannotCarry(value.reason)
        if issubclass(kind, NO_VALUE):
            raise CannotCarryBack(f"needs the implementation in the test's process: passes a {kind.__name__}")
        self._table.exports.may_lend(value)
        if issubclass(kind, ModuleType):
            return ["M", self._table.exports.lend(value), value.__name__]
        return self._object_entry(value)

    def _borrowed_entry(self, oid: int, value: Any, encoder: Encoder) -> Entry:
        """What stands for one of theirs; with what was put into a container since they know it."""
        if encoder.is_changed(value) and isinstance(value, MUTABLE):
            return self._content_entry(value, encoder)
        if oid in self._table.proxies.errors and has_changed(value, self._table.proxies.errors[oid]):
            self._table.lose("needs the implementation in the test's process: changes an exception of the other side's")
        return ["y", oid]

    def _object_entry(self, value: Any) -> Entry:
        if isinstance(value, ProxyObject) and self._table.proxies.oid_of(type(value)) is not None:
            raise CannotCarry(
                "needs the implementation in the test's process: makes an object without calling its class"
            )
        tag = "co" if isinstance(value, CoroutineType) else "o"
        return [tag, self._table.exports.lend(value), self._table.classes.token_of_object(type(value))]

    def _derived_entry(self, value: Any, encoder: Encoder) -> Entry:
        token = self._table.classes.token(type(value))
        oid = self._table.exports.lend(value) if getattr(value, "__dict__", None) and token[0] == "c" else None
        plain = base_value(value)
        if oid is not None and any(hasattr(type(plain), name) for name in vars(value)):
            raise CannotCarryBack(
                f"an attribute of an object hides what a {type(plain).__name__} has: only one process sees it"
            )
        return ["v", oid, token, encoder.atom(plain)]

    def _container_entry(self, value: Any, encoder: Encoder) -> Entry:
        token = self._table.classes.token(type(value))
        known = self._table.shared.sid_of(value)
        sid = self._table.shared.share(value) if known is None else known
        return self._filled(
            encoder.reserve(value, ["V", self._table.exports.lend(value), token, sid, None]), value, encoder
        )

    def _content_entry(self, value: Any, encoder: Encoder) -> Entry:
        """What a container of theirs holds now, of a class derived from one of Python's."""
        return self._filled(encoder.reserve(value, ["W", self._table.shared.sid_of(value), None]), value, encoder)

    @staticmethod
    def _filled(entry: Entry, value: Any, encoder: Encoder) -> Entry:
        entry[-1] = [encoder.atom(part) for part in parts_of(value)]
        return entry

    def _function_entry(self, value: Any) -> Entry:
        name = function_name(value)
        if name is not None and (self._table.in_driver or tuple(name) in self._table.named):
            self._table.named.add(tuple(name))
            return ["F", *name]
        self._table.exports.may_lend(value)
        return ["fn", self._table.exports.lend(value), int(type(value) is FunctionType)]
