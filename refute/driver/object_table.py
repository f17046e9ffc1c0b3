"""Who is who: objects lent to the other side, objects borrowed from it, and their classes."""

import enum
from collections.abc import Callable
from typing import Any, Final

from refute.driver.base_values import VALUE_TYPES, remade
from refute.driver.containers import refill
from refute.driver.decoder import Decoder
from refute.driver.encoder import Atom, Entry
from refute.driver.error_transport import derived_group, fill_error, shell_error, traceback_of
from refute.driver.errors import Malformed
from refute.driver.known import HEAP_TYPE, function_of
from refute.driver.proxy.functions import Called, Function
from refute.driver.proxy.roots import ProxyMeta
from refute.driver.writing import MUTABLE, Writing

OBJECTS: Final = frozenset({"o", "co", "bo", "V", "W"})
"""Entries of objects that stay with the other side; without modules, their functions and classes."""


class ObjectTable(Writing):
    """One side's view of everything that is no plain data."""

    def shell(self, entry: Entry) -> Any:  # noqa: C901, PLR0911, PLR0912  # one case per kind of entry
        """The object of an entry, perhaps still empty."""
        self.objects_crossed = self.objects_crossed or entry[0] in OBJECTS
        match entry:
            case ["y", int(oid)]:
                return self._classes[oid] if oid in self._classes and oid not in self._lent else self.own(oid)
            case ["tb", [*frames]]:
                return traceback_of(frames)
            case ["co", int(oid), token]:
                return self.borrow(oid, lambda: self._coroutine(self._object(token), oid))
            case ["T", token]:
                return self.class_of(token)
            case ["fn", int(oid), kind]:
                return self.borrow(oid, lambda: (Function if kind else Called)(oid))
            case ["m", int(cid), str(name)]:
                return self.function_of_member(cid, name)
            case ["o", int(oid), token]:
                return self.borrow(oid, lambda: self._object(token))
            case ["bo", int(oid), str(name)] if not self.in_driver:
                return getattr(self.own(oid), name)
            case ["F", str(module), str(name)] if not self.in_driver or (module, name) in self._named:
                self._named.add((module, name))
                return function_of(module, name)
            case ["M", int(oid), str(name)] if self.in_driver:
                return self.borrow(oid, lambda: self.link.module_stub(name), forever=True)
            case ["V", int(oid), token, int(sid), _]:
                return self.borrow(oid, lambda: self._container(token, sid))
            case ["W", int(sid), [*_]]:
                return self._shared(sid)
            case ["E", token, name, value]:
                kind = self.class_of(token)
                return _empty(kind) if token[-1] in self._unbuilt else _member(kind, name, value)
            case ["x", *_]:
                return shell_error(entry, self.whole)
        raise Malformed(f"an entry is of no known kind: {str(entry[0])[:20]}")

    def fill(self, made: Any, entry: Entry, value_of: Callable[[Atom], Any]) -> Any:
        """Finish an object of `shell`."""
        if entry[0] == "x":
            return fill_error(made, entry, self.whole, value_of)
        if entry[0] in {"V", "W"}:
            refill_derived(made, [value_of(atom) for atom in entry[-1]])
        return made

    def derived(self, entry: Entry, content: Any) -> Any:
        """An immutable value of a type derived from a built-in one."""
        _, oid, token, _ = entry
        kind = self.class_of(token)
        if issubclass(kind, BaseExceptionGroup):
            return derived_group(kind, content)
        if type(content) not in VALUE_TYPES or not issubclass(kind, type(content)):
            raise Malformed("a value is not of its type")
        if oid is None:
            return remade(kind, content)
        return self.borrow(oid, lambda: remade(kind, content), forever=True)

    def _object(self, token: list[Any]) -> Any:
        kind = self.class_of(token)
        if not isinstance(kind, ProxyMeta):
            raise Malformed(f"an object cannot be a mirrored {kind.__qualname__}")
        return _empty(kind)

    def _coroutine(self, proxy: Any, oid: int) -> Any:
        """A real coroutine, whose body runs there."""

        async def coroutine() -> Any:
            return await self.link.later("awaited", proxy)

        made = coroutine()
        self.remember(oid, made)
        self.also(oid, proxy)
        return made

    def _container(self, token: list[Any], sid: int) -> Any:
        kind = self.class_of(token)
        base: Any
        for base in MUTABLE:
            if issubclass(kind, base):
                made = base.__new__(kind)
                self.adopt(sid, made)
                return made
        raise Malformed("a container is none")

    def _shared(self, sid: int) -> Any:
        found = self.container(sid)
        if not isinstance(found, MUTABLE):
            raise Malformed("a shared container is unknown")
        return found

    def unpacked(self, packed: Any) -> Any:
        """The value of `packed`."""
        atom, table = packed
        return Decoder(table, self.whole).value(atom)


def refill_derived(made: Any, parts: list[Any]) -> None:
    """Give an object derived from a container these parts, unless it has them."""
    if isinstance(made, bytearray):
        made[:] = bytes(parts)
    else:
        refill(made, parts)


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
    if getattr(kind, "__abstractmethods__", None):  # there is an object, whatever the class was when it was told of
        type.__setattr__(kind, "__abstractmethods__", frozenset())
    return base.__new__(kind)
