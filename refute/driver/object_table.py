"""Who is who: objects lent to the other side, objects borrowed from it, their classes, and how each is written."""

import enum
from collections.abc import Callable
from inspect import get_annotations
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

from refute.driver.class_registry import ClassRegistry
from refute.driver.codec import Atom, Decoder, Encoder, Entry
from refute.driver.containers import CONTAINERS, SharedContainers
from refute.driver.error_transport import fill_error, frames_of, shell_error, state_of, tell_error, traceback_of
from refute.driver.handles import Exports, Proxies
from refute.driver.known import ABSTRACT, HEAP_TYPE, function_name, function_of
from refute.driver.modules import ModuleStub
from refute.driver.proxy.describing import FUNCTIONS, evaluated, text_of
from refute.driver.proxy.functions import Called, Function, Member
from refute.driver.proxy.roots import ProxyMeta, ProxyObject
from refute.driver.values import VALUE_TYPES, base_value, remade
from refute.driver.wire import CannotCarry, CannotCarryBack, Malformed

CALLABLE: Final = (*FUNCTIONS, MethodType, MethodWrapperType)
NO_VALUE: Final = (memoryview, UnionType, GenericAlias, TypeVar, ParamSpec)
"""Neither objects that can stay where they are, nor made of parts, unless of plain ones."""


LOSSES: Final = 20
OBJECTS: Final = frozenset({"o", "co"})
"""Entries of objects that stay with the other side; without modules, their functions and classes."""


class ObjectTable:
    """One side's view of everything that is no plain data.

    Args:
        first: 0 for the driver, 1 for the subject: the numbers that this side gives are even or odd.
        may_lend: says what of this side the other one may hold; raises CannotCarry.
    """

    def __init__(self, first: int, may_lend: Callable[[Any], None]) -> None:
        self.in_driver = first == 0
        self.shared = SharedContainers(first)
        self.exports = Exports(first, may_lend)
        self.proxies = Proxies()
        self.classes = ClassRegistry(self)
        self.named: set[tuple[str, ...]] = set()
        """Functions of Python's own that the test has handed over: the subject may hand these back by name."""
        self.link: Any = None
        self.function_of_member: Callable[[Any, Any], Any]
        self.lost: list[tuple[str, bool]] = []
        """What could not be carried: noted beside the test's result, of which the subject tells the driver."""

    def lose(self, reason: str, *, back: bool = True) -> None:
        """Something of the running test could not be carried; the implementation may swallow the error that says so.

        Args:
            reason: in words.
            back: whether the implementation may have had a hand in it; else it is the test alone that needs it.
        """
        self.lost = [*self.lost[:LOSSES], (reason[:1000], back)]

    # Written

    def entry_of(self, value: Any, encoder: Encoder) -> Entry:  # noqa: C901, PLR0911  # one return per kind of object
        """The entry of an object that is no plain data."""
        oid = self.proxies.oid_of(value)
        if oid is not None:
            return self._borrowed_entry(oid, value)
        kind = type(value)  # not what it says of itself: a lazy proxy's `__class__` is that of another object
        if issubclass(kind, type):
            return ["T", self.classes.token(value)]
        if issubclass(kind, Member):
            return ["m", value._refute_of_, value._refute_name_]
        if issubclass(kind, TracebackType):
            return ["tb", frames_of(value)]
        if issubclass(kind, BaseException):
            return tell_error(value, self, encoder)
        if issubclass(kind, enum.Enum):
            return ["E", self.classes.token(kind), value._name_, encoder.atom(value._value_)]
        if issubclass(kind, VALUE_TYPES):  # also where its class has a proxy mixin among its bases
            return self._derived_entry(value, encoder)
        if issubclass(kind, CALLABLE):
            return self._function_entry(value)
        if issubclass(kind, NO_VALUE):
            raise CannotCarryBack(f"needs the implementation in the test's process: passes a {kind.__name__}")
        self.exports.may_lend(value)
        if issubclass(kind, ModuleType):
            return ["M", self.exports.lend(value), value.__name__]
        return self._object_entry(value)

    def _borrowed_entry(self, oid: int, value: Any) -> Entry:
        """What stands for one of theirs."""
        if oid in self.proxies.errors and state_of(value) != self.proxies.errors[oid]:
            self.lose("needs the implementation in the test's process: changes an exception of the other side's")
        return ["y", oid]

    def _object_entry(self, value: Any) -> Entry:
        if isinstance(value, ProxyObject) and self.proxies.oid_of(type(value)) is not None:
            raise CannotCarry(
                "needs the implementation in the test's process: makes an object without calling its class"
            )
        tag = "co" if isinstance(value, CoroutineType) else "o"
        return [tag, self.exports.lend(value), self.classes.token_of_object(type(value))]

    def _derived_entry(self, value: Any, encoder: Encoder) -> Entry:
        token = self.classes.token(type(value))
        oid = self.exports.lend(value) if token[0] == "c" and getattr(value, "__dict__", None) else None
        plain = base_value(value)
        if oid is not None and any(hasattr(type(plain), name) for name in vars(value)):
            raise CannotCarryBack(
                f"an attribute of an object hides what a {type(plain).__name__} has: only one process sees it"
            )
        return ["v", oid, token, encoder.atom(plain)]

    def told_container(self, value: Any) -> list[Any]:
        """What is told of a container of a derived class with its parts: it has attributes, which stay here."""
        return [self.exports.lend(value), self.classes.token(type(value))]

    @staticmethod
    def is_handle(kind: type) -> bool:
        """Whether objects of a class here are all of them on the other side."""
        return issubclass(kind, ProxyObject)

    def _function_entry(self, value: Any) -> Entry:
        name = function_name(value)
        if name is not None and (self.in_driver or tuple(name) in self.named):
            self.named.add(tuple(name))
            return ["F", *name]
        self.exports.may_lend(value)
        return ["fn", self.exports.lend(value), int(type(value) is FunctionType)]

    # Read

    def shell(self, entry: Entry) -> Any:  # noqa: C901, PLR0911  # one case per kind of entry
        """The object of an entry, perhaps still empty."""
        self.exports.crossed = self.exports.crossed or entry[0] in OBJECTS
        match entry:
            case ["y", int(oid)]:
                kind = self.classes.standing_for(oid)  # a class of the test's that was made there as well
                return self.exports.own(oid) if kind is None else kind
            case ["tb", [*frames]]:
                return traceback_of(frames)
            case ["co", int(oid), token]:
                return self.proxies.borrow(oid, lambda: self._coroutine(self._object(token), oid))
            case ["T", token]:
                return self.classes.class_of(token)
            case ["fn", int(oid), kind]:
                return self.proxies.borrow(oid, Function if kind else Called)
            case ["m", int(cid), str(name)]:
                return self.function_of_member(cid, name)
            case ["o", int(oid), token]:
                return self.proxies.borrow(oid, lambda: self._object(token))
            case ["F", str(module), str(name)] if not self.in_driver or (module, name) in self.named:
                self.named.add((module, name))
                return function_of(module, name)
            case ["M", int(oid), str(name)] if self.in_driver:
                return self.proxies.borrow(oid, lambda: ModuleStub(name), forever=True)
            case ["E", token, name, value]:
                kind = self.classes.class_of(token)
                return _empty(kind) if isinstance(kind, ProxyMeta) else _member(kind, name, value)
            case ["x", *_]:
                return shell_error(entry, self)
        raise Malformed(f"an entry is of no known kind: {str(entry[0])[:20]}")

    def fill(self, made: Any, entry: Entry, value_of: Callable[[Atom], Any]) -> Any:
        """Finish an object of `shell`."""
        return fill_error(made, entry, self, value_of) if entry[0] == "x" else made

    def derived(self, entry: Entry, content: Any) -> Any:
        """An immutable value of a type derived from a built-in one."""
        _, oid, token, _ = entry
        kind = self.classes.class_of(token)
        if type(content) not in VALUE_TYPES or not issubclass(kind, type(content)):
            raise Malformed("a value is not of its type")
        if oid is None:
            return remade(kind, content)
        return self.proxies.borrow(oid, lambda: remade(kind, content), forever=True)

    def _object(self, token: list[Any]) -> Any:
        kind = self.classes.class_of(token)
        if not isinstance(kind, ProxyMeta):
            raise Malformed(f"an object cannot be a proxy of {kind.__qualname__}")
        return _empty(kind)

    def _coroutine(self, proxy: Any, oid: int) -> Any:
        """A real coroutine, whose body runs there."""

        async def coroutine() -> Any:
            return await self.link.later("awaited", proxy)

        made = coroutine()
        self.proxies.remember(oid, made)
        self.proxies.also(oid, proxy)
        return made

    def container(self, tag: str, _: Any, __: Any, oid: int, token: list[Any]) -> Any:
        """A container of a class derived from one of Python's own, still empty; as its entry has it."""
        base: Any = CONTAINERS[tag]
        kind = self.classes.class_of(token)
        self.exports.crossed = True
        return self.proxies.borrow(oid, lambda: base.__new__(kind))

    def annotations(self, kind: type) -> dict[str, Any]:
        """Those of a class of the test's, each as `annotation` has it."""
        return {name: self.annotation(one) for name, one in evaluated(get_annotations, kind).items()}

    def annotation(self, one: Any) -> Any:
        """What the implementation is told of an annotation of the test's: a type that can be carried, or its text."""
        try:
            Encoder(self).atom(one)
        except CannotCarry:
            return text_of(one)
        return text_of(one) if isinstance(one, str) else one

    def packed(self, value: Any) -> list[Any]:
        """A value with a table of its own, for what goes along with a message."""
        encoder = Encoder(self)
        try:
            return [encoder.atom(value), encoder.table]
        except CannotCarry:
            return [None, []]

    def unpacked(self, packed: Any) -> Any:
        """The value of `packed`."""
        atom, table = packed
        return Decoder(table, self).value(atom)


def _member(kind: type, name: Any, value: Any) -> Any:
    if not issubclass(kind, enum.Enum):
        raise Malformed("a member of no enumeration")
    found = kind.__members__.get(name) if isinstance(name, str) else None
    return found if found is not None else kind(value)


def _empty(kind: type) -> Any:
    """An object of a class, by what gives it its layout: a type of C's, most often `object`."""
    base: Any = kind
    while base.__flags__ & HEAP_TYPE and base.__base__ is not None:
        base = base.__base__
    if kind.__flags__ & ABSTRACT:  # there is an object, whatever the class was when it was told of
        type.__setattr__(kind, "__abstractmethods__", frozenset())
    return base.__new__(kind)
