"""Writes objects that are no plain data: each kind has an entry of its own."""

import array
import enum
from types import CoroutineType, FunctionType, MethodType, MethodWrapperType, ModuleType, TracebackType
from typing import Any, Final

from refute.driver.base_values import VALUE_TYPES, base_value
from refute.driver.class_registry import ClassRegistry
from refute.driver.containers import CONTAINERS, parts_of
from refute.driver.encoder import Encoder, Entry
from refute.driver.error_transport import frames_of, has_changed, tell_error
from refute.driver.errors import CannotCarry, CannotCarryBack, Uncarried
from refute.driver.known import function_name
from refute.driver.proxy.describing import FUNCTIONS
from refute.driver.proxy.functions import Member
from refute.driver.proxy.proxied import ProxyObject
from refute.driver.proxy.signatures import text_of

CALLABLE: Final = (*FUNCTIONS, MethodType, MethodWrapperType)
MUTABLE: Final = tuple(kind for kind in CONTAINERS.values() if kind is not array.array)

NO_VIEW: Final = "needs the implementation in the test's process: passes a memoryview of what is not shared to it"


class Writing(ClassRegistry):
    """Entries of objects of this side, and of stand-ins that go back."""

    def entry_of(self, value: Any, encoder: Encoder) -> Entry:  # noqa: C901, PLR0911  # one return per kind of object
        """The entry of an object that is no plain data."""
        oid = self._borrowed_ids.get(id(value))
        if oid is not None:
            return self._borrowed_entry(oid, value, encoder)
        kind = type(value)  # not what it says of itself: a lazy proxy's `__class__` is that of another object
        if issubclass(kind, type):
            return ["T", self.token(value)]
        if issubclass(kind, Member):
            return ["m", value._refute_of_, value._refute_name_]
        if issubclass(kind, TracebackType):
            return ["tb", frames_of(value)]
        if issubclass(kind, BaseException):
            return tell_error(value, self.whole, encoder)
        if issubclass(kind, enum.Enum):
            return ["E", self.token(kind), value._name_, encoder.atom(value._value_)]
        if issubclass(kind, VALUE_TYPES):  # also where its class has a mirrored mixin among its bases
            return self._derived_entry(value, encoder)
        if issubclass(kind, MUTABLE) and not issubclass(kind, ProxyObject):
            return self._container_entry(value, encoder)
        if issubclass(kind, CALLABLE):
            return self._function_entry(value)
        if issubclass(kind, Uncarried | memoryview):
            raise CannotCarry(value.reason if isinstance(value, Uncarried) else NO_VIEW)
        self._may_lend(value)
        if issubclass(kind, ModuleType):
            return ["M", self.lend(value), value.__name__]
        return self._object_entry(value)

    def _borrowed_entry(self, oid: int, value: Any, encoder: Encoder) -> Entry:
        """What stands for one of theirs; with what was put into a container since they know it."""
        if encoder.is_changed(value) and isinstance(value, MUTABLE):
            return self._content_entry(value, encoder)
        if oid in self.errors and has_changed(value, self.errors[oid]):
            self.lose("needs the implementation in the test's process: changes an exception of the other side's")
        return ["y", oid]

    def _object_entry(self, value: Any) -> Entry:
        if isinstance(value, ProxyObject) and id(type(value)) in self._borrowed_ids:
            raise CannotCarry(
                "needs the implementation in the test's process: makes an object without calling its class"
            )
        tag = "co" if isinstance(value, CoroutineType) else "o"
        return [tag, self.lend(value), self._token_of_object(type(value))]

    def _derived_entry(self, value: Any, encoder: Encoder) -> Entry:
        token = self.token(type(value))
        oid = self.lend(value) if getattr(value, "__dict__", None) and token[0] == "c" else None
        plain = base_value(value)
        if oid is not None and any(hasattr(type(plain), name) for name in vars(value)):
            raise CannotCarryBack(
                f"an attribute of an object hides what a {type(plain).__name__} has: only one process sees it"
            )
        return ["v", oid, token, encoder.atom(plain)]

    def _container_entry(self, value: Any, encoder: Encoder) -> Entry:
        token = self.token(type(value))
        known = self.sid_of(value)
        sid = self.share(value) if known is None else known
        return self._filled(encoder.reserve(value, ["V", self.lend(value), token, sid, None]), value, encoder)

    def _content_entry(self, value: Any, encoder: Encoder) -> Entry:
        """What a container of theirs holds now, of a class derived from one of Python's."""
        return self._filled(encoder.reserve(value, ["W", self.sid_of(value), None]), value, encoder)

    @staticmethod
    def _filled(entry: Entry, value: Any, encoder: Encoder) -> Entry:
        parts = list(value) if isinstance(value, bytearray) else parts_of(value)
        entry[-1] = [encoder.atom(part) for part in parts]
        return entry

    def _method_entry(self, value: Any) -> Entry | None:
        """A method that the test takes of an object of the subject's is one there too: it has its object."""
        owner, function = value.__self__, value.__func__
        name = function._refute_name_ if type(function) is Member else getattr(function, "__name__", "")
        oid = self._borrowed_ids.get(id(owner)) if self.in_driver and isinstance(owner, ProxyObject) else None
        return ["bo", oid, name] if oid is not None and _found(owner, name) is function else None

    def _function_entry(self, value: Any) -> Entry:
        if type(value) is MethodType and (entry := self._method_entry(value)) is not None:
            return entry
        name = function_name(value)
        if name is not None and (self.in_driver or tuple(name) in self._named):
            self._named.add(tuple(name))
            return ["F", *name]
        self._may_lend(value)
        return ["fn", self.lend(value), int(type(value) is FunctionType)]

    def annotation(self, one: Any) -> Any:
        """What the implementation is told of an annotation of the test's: a type that can be carried, or its text."""
        try:
            Encoder(self.whole).atom(one)
        except CannotCarry:
            return text_of(one)
        return text_of(one) if isinstance(one, str) else one

    def packed(self, value: Any) -> list[Any]:
        """A value with a table of its own, for what goes along with a message."""
        encoder = Encoder(self.whole)
        try:
            return [encoder.atom(value), encoder.table]
        except CannotCarry:
            return [None, []]


def _found(owner: Any, name: str) -> Any:
    """What an object's class holds under a name."""
    return next((vars(base)[name] for base in type.mro(type(owner)) if name in vars(base)), None)
