"""Who is who: objects lent to the other side, objects borrowed from it, and their classes."""

import enum
import threading
import weakref
from collections.abc import Callable
from functools import lru_cache, partial
from types import CoroutineType, FunctionType, GeneratorType, MethodType, MethodWrapperType, ModuleType, TracebackType
from typing import Any, Final, Generic, Protocol

from refute.driver.carriage import CannotCarry, Malformed
from refute.driver.codec import CONTAINERS, Atom, Decoder, Encoder, Entry, parts_of, refill
from refute.driver.errors import derived_group, fill_error, frames_of, shell_error, tell_error, traceback_of
from refute.driver.known import function_name, function_of, is_known, named, place_of
from refute.driver.mirror.classes import IMMUTABLE, build
from refute.driver.mirror.describing import FUNCTIONS, checked, describe, stands_alone
from refute.driver.mirror.enums import build_enum
from refute.driver.mirror.functions import stand_in, tell
from refute.driver.mirror.roots import MirroredObject, MirrorMeta
from refute.driver.shared import SharedContainers

CALLABLE: Final = (*FUNCTIONS, MethodType, MethodWrapperType)
PLACELESS: Final = (Protocol, Generic, type)
"""Bases that act when a class derives from them; what they give comes from the other side."""
MUTABLE: Final = tuple(CONTAINERS.values())


class Objects(SharedContainers):
    """One side's view of everything that is no plain data.

    Args:
        first: 0 for the driver, 1 for the subject: the numbers that this side gives are even or odd.
        may_lend: says what of this side the other one may hold; raises CannotCarry.
    """

    def __init__(self, first: int, may_lend: Callable[[Any], None]) -> None:
        super().__init__(first)
        self.in_driver = first == 0
        self._may_lend = may_lend
        self._number = first
        self._lent: dict[int, list[Any]] = {}
        self._lent_ids: dict[int, int] = {}
        self._here = threading.local()
        self._borrowed: dict[int, Any] = {}
        self._borrowed_ids: dict[int, int] = {}
        self._taken: dict[int, int] = {}
        self.dropped: list[list[int]] = []
        """Borrowed objects that nobody here holds any longer, with how often each had come."""
        self._told: dict[int, int] = {}
        self._classes: dict[int, type] = {}
        self._cids: dict[type, int] = {}
        self._infos: dict[int, Any] = {}
        self._watched: dict[int, tuple[FunctionType, dict[str, Any]]] = {}
        self.news: list[list[Any]] = []
        """Classes that the other side is told of with the next message."""
        self.link: Any = None

    # Lending

    def lend(self, value: Any) -> int:
        """The number of an object that the other side may refer to from now on."""
        oid = self._lent_ids.get(id(value))
        if oid is None:
            self._number += 2
            oid = self._lent_ids[id(value)] = self._number
            self._lent[oid] = [value, 0]
        self._lent[oid][1] += 1
        return oid

    def own(self, oid: int) -> Any:
        """The lent object of a number."""
        if oid not in self._lent:
            raise Malformed("an object that was never lent is referred to")
        return self._lent[oid][0]

    def has_lent(self, value: Any) -> bool:
        """Whether the other side may refer to this very object."""
        return id(value) in self._lent_ids or id(value) in self.asked_about

    @property
    def asked_about(self) -> frozenset[int]:
        """Lent objects of the question that this thread works on; it may have let go of them with the same message."""
        found: frozenset[int] = getattr(self._here, "asked_about", frozenset())
        return found

    @asked_about.setter
    def asked_about(self, ids: frozenset[int]) -> None:
        self._here.asked_about = ids

    def lent_among(self, values: list[Any]) -> frozenset[int]:
        """Those of a question's values that were lent."""
        return frozenset(id(value) for value in values if id(value) in self._lent_ids)

    def take_back(self, dropped: list[list[int]]) -> None:
        """The other side no longer holds these, as far as it had received them."""
        for oid, count in dropped:
            lent = self._lent.get(oid)
            if lent is not None:
                lent[1] -= count
                if lent[1] <= 0 and not isinstance(lent[0], type):
                    del self._lent[oid], self._lent_ids[id(lent[0])]
                    self._infos.pop(oid, None)
                    self._watched.pop(oid, None)

    # Classes

    def token(self, kind: type) -> list[Any]:
        """How a class is called between the two sides."""
        if kind in self._cids:
            return ["y", self._cids[kind]]
        if kind is MirroredObject or is_known(kind, to_driver=not self.in_driver):
            return ["K", *place_of(kind)]
        return ["c", self.tell_class(kind)]

    def _token_of_object(self, kind: type) -> list[Any]:
        """How the class of an object that stays here is called: mirrored, whoever knows it besides."""
        return ["y", self._cids[kind]] if kind in self._cids else ["c", self.tell_class(kind)]

    def tell_class(self, kind: type) -> int:
        """Tell the other side of a class of ours, once; its number."""
        cid = self._told.get(id(kind))
        if cid is None:
            self._may_lend(kind)
            cid = self._told[id(kind)] = self.lend(kind)
            alone = stands_alone(kind)
            bases = (
                [["K", "builtins", "object"]]
                if alone
                else [self.token(base) for base in kind.__bases__ if base not in PLACELESS]
            )
            self.news.append([cid, describe(kind, bases), self._members_of(kind)])
        return cid

    def tell_nothing_of(self, kind: type, cid: int) -> None:
        """The other side knows this class of ours already: it had it made."""
        self._told[id(kind)] = cid

    def _members_of(self, kind: type) -> Any:
        """The members of an enumeration: a table of its own, and name, value and built-in content of each."""
        if not issubclass(kind, enum.Enum):
            return None
        encoder = Encoder(self)
        members = kind.__members__.items()
        atoms = [[name, encoder.atom(one._value_), encoder.atom(_base_value(one))] for name, one in members]
        return [encoder.table, atoms]

    def class_of(self, token: list[Any]) -> type:
        """The class that is called so."""
        how, *rest = token
        if how == "K":
            return named(rest[0], rest[1], in_driver=self.in_driver)
        kind = self._classes.get(rest[0]) if how == "c" else self.own(rest[0])
        if not isinstance(kind, type):
            raise Malformed("a class that nobody was told of is referred to")
        return kind

    def learn(self, cid: int, told: dict[str, Any], members: Any) -> None:
        """Mirror a class of the other side."""
        if cid in self._classes or not isinstance(told, dict):
            raise Malformed("a class was told of twice")
        bases = [self.class_of(token) for token in told["bases"]]
        checked(told)
        if told.get("enum"):
            table, atoms = members
            value = Decoder(table, self).value
            kind = build_enum(cid, told, bases, [(str(name), value(one), value(other)) for name, one, other in atoms])
        else:
            kind = build(cid, told, bases)
        self.bind_class(cid, kind)

    def bind_class(self, cid: int, kind: type) -> None:
        """Let a class of ours stand for one of theirs."""
        self._classes[cid] = kind
        self._cids[kind] = cid
        self._borrowed_ids[id(kind)] = cid

    # Writing

    def entry_of(self, value: Any, encoder: Encoder) -> Entry:  # noqa: C901, PLR0911  # one return per kind of object
        """The entry of an object that is no plain data."""
        oid = self._borrowed_ids.get(id(value))
        if oid is not None:
            marks = (
                [[name, one] for name, one in vars(value).items() if name[:2] != "__"]
                if type(value) is FunctionType
                else []
            )
            return ["y", oid, [[name, encoder.atom(one)] for name, one in marks]] if marks else ["y", oid]
        if isinstance(value, type):
            return ["T", self.token(value)]
        if isinstance(value, TracebackType):
            return ["tb", frames_of(value)]
        if isinstance(value, BaseException):
            return tell_error(value, self, encoder)
        if isinstance(value, enum.Enum):
            return ["E", self.token(type(value)), value._name_, encoder.atom(value._value_)]
        if not isinstance(value, MirroredObject):
            if isinstance(value, IMMUTABLE):
                return self._derived_entry(value, encoder)
            if isinstance(value, MUTABLE):
                return self._container_entry(value, encoder)
        if isinstance(value, CALLABLE) and not _has_attributes(value):
            return self._function_entry(value)
        if isinstance(value, ModuleType):
            self._may_lend(value)
            return ["M", self.lend(value), value.__name__]
        self._may_lend(value)
        tag = "g" if isinstance(value, GeneratorType) else "co" if isinstance(value, CoroutineType) else "o"
        return [tag, self.lend(value), self._token_of_object(type(value))]

    def _derived_entry(self, value: Any, encoder: Encoder) -> Entry:
        token = self.token(type(value))
        oid = self.lend(value) if getattr(value, "__dict__", None) and token[0] == "c" else None
        return ["v", oid, token, encoder.atom(_base_value(value))]

    def _container_entry(self, value: Any, encoder: Encoder) -> Entry:
        token = self.token(type(value))
        known = self.sid_of(value)
        sid = self.share(value) if known is None else known
        entry = encoder.reserve(value, ["V", self.lend(value), token, sid, None])
        parts = list(value) if isinstance(value, bytearray) else parts_of(value)
        entry[4] = [encoder.atom(part) for part in parts]
        return entry

    def _function_entry(self, value: Any) -> Entry:
        name = function_name(value) if self.in_driver else None
        if name is not None:
            return ["F", *name]
        self._may_lend(value)
        oid = self.lend(value)
        if oid not in self._infos:
            self._infos[oid] = tell(value, getattr(value, "__name__", "function"))
            if isinstance(value, FunctionType):
                self._watched[oid] = (value, {})
        return ["fn", oid, self._infos[oid]]

    def marks(self) -> list[list[Any]]:
        """What was put on functions of ours since the other side was told of them."""
        found = []
        for oid, (function, before) in self._watched.items():
            for name, value in vars(function).items():
                if name[:2] != "__" and before.get(name, self) is not value:
                    before[name] = value
                    found.append([oid, name, self.packed(value)])
        return found

    def mark(self, marks: list[list[Any]]) -> None:
        """Put on stand-ins what the other side put on its functions."""
        for oid, name, packed in marks:
            held = self._borrowed.get(oid)
            function = held() if isinstance(held, weakref.ref) else held
            if isinstance(function, FunctionType) and type(name) is str and not name.startswith("_"):
                setattr(function, name, self.unpacked(packed))

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

    # Reading

    def shell(self, entry: Entry) -> Any:  # noqa: C901, PLR0911, PLR0912  # one case per kind of entry
        """The object of an entry, perhaps still empty."""
        match entry:
            case ["y", int(oid)]:
                return self._classes[oid] if oid in self._classes and oid not in self._lent else self.own(oid)
            case ["y", int(oid), [*_]]:
                return self.own(oid)
            case ["tb", [*frames]]:
                return traceback_of(frames)
            case ["co", int(oid), token]:
                return self._borrow(oid, lambda: _as_coroutine(self._object(token), self, oid))
            case ["T", token]:
                return self.class_of(token)
            case ["fn", int(oid), info]:
                return self._borrow(oid, lambda: self._stand_in(oid, info))
            case ["o", int(oid), token]:
                return self._borrow(oid, lambda: self._object(token))
            case ["g", int(oid), token]:
                return self._borrow(oid, lambda: _as_generator(self._object(token), self, oid))
            case ["F", str(module), str(name)] if not self.in_driver:
                return function_of(module, name)
            case ["M", int(oid), str(name)] if self.in_driver:
                return self._borrow(oid, lambda: self.link.module_stub(name), forever=True)
            case ["V", int(oid), token, int(sid), _]:
                return self._borrow(oid, lambda: self._container(token, sid))
            case ["E", token, name, value]:
                return _member(self.class_of(token), name, value)
            case ["x", *_]:
                return shell_error(entry, self)
        raise Malformed(f"an entry is of no known kind: {str(entry[0])[:20]}")

    def fill(self, made: Any, entry: Entry, value_of: Callable[[Atom], Any]) -> Any:
        """Finish an object of `shell`."""
        if entry[0] == "x":
            return fill_error(made, entry, self, value_of)
        if entry[0] == "y" and len(entry) > 2 and isinstance(made, FunctionType):  # noqa: PLR2004  # marks put on it
            for name, atom in entry[2]:
                if type(name) is str and name[:1] != "_":
                    setattr(made, name, value_of(atom))
        if entry[0] == "V":
            refill_derived(made, [value_of(atom) for atom in entry[4]])
        return made

    def derived(self, entry: Entry, content: Any) -> Any:
        """An immutable value of a type derived from a built-in one."""
        _, oid, token, _ = entry
        kind = self.class_of(token)
        if issubclass(kind, BaseExceptionGroup):
            return derived_group(kind, content)
        base: Any = type(content)
        if base not in IMMUTABLE or not issubclass(kind, base):
            raise Malformed("a value is not of its type")
        if oid is None:
            return base.__new__(kind, content)
        return self._borrow(oid, lambda: base.__new__(kind, content), forever=True)

    def _object(self, token: list[Any]) -> Any:
        kind = self.class_of(token)
        if not isinstance(kind, MirrorMeta):
            raise Malformed(f"an object cannot be a mirrored {kind.__qualname__}")
        return _empty(kind)

    def _container(self, token: list[Any], sid: int) -> Any:
        kind = self.class_of(token)
        base: Any
        for base in MUTABLE:
            if issubclass(kind, base):
                made = base.__new__(kind)
                if isinstance(made, dict | list | set | bytearray):
                    self.adopt(sid, made)
                return made
        raise Malformed("a container is none")

    def _stand_in(self, oid: int, info: list[Any]) -> Any:
        return stand_in(info, partial(self.link.call, oid), partial(self.link.call_later, oid))

    def _borrow(self, oid: int, make: Callable[[], Any], *, forever: bool = False) -> Any:
        """The object here that stands for one of theirs: the same one while anybody holds it."""
        held = self._borrowed.get(oid)
        found = held() if isinstance(held, weakref.ref) else held
        self._taken[oid] = self._taken.get(oid, 0) + 1
        if found is None:
            found = make()
            key = id(found)
            self._borrowed_ids[key] = oid
            try:
                self._borrowed[oid] = found if forever else weakref.ref(found, partial(self._forget, oid, key))
            except TypeError:  # it knows no weak references, so it stays
                self._borrowed[oid] = found
        return found

    def remember(self, oid: int, found: Any) -> None:
        """Let an object of ours stand for one of theirs for good."""
        self._borrowed[oid] = found
        self._borrowed_ids[id(found)] = oid

    def standing_for(self, oid: int) -> Any:
        """The object here that stands for one of theirs, if anybody holds it."""
        held = self._borrowed.get(oid)
        return held() if isinstance(held, weakref.ref) else held

    def member_of(self, cid: int, name: str) -> Any:
        """A member of a mirrored class."""
        return vars(self._classes[cid]).get(name) if cid in self._classes else None

    def also(self, oid: int, other: Any) -> None:
        """A second object that stands for the same one of theirs, while it lives."""
        self._borrowed_ids[id(other)] = oid
        weakref.finalize(other, self._borrowed_ids.pop, id(other), None).atexit = False

    def oid_of(self, value: Any) -> int | None:
        """The number of a borrowed object."""
        return self._borrowed_ids.get(id(value))

    def _forget(self, oid: int, key: int, _: Any) -> None:
        self._borrowed_ids.pop(key, None)
        held = self._borrowed.get(oid)
        if isinstance(held, weakref.ref) and held() is None:
            del self._borrowed[oid]
        self.dropped.append([oid, self._taken.pop(oid, 0)])


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
    base: Any
    for base in kind.__mro__:
        if base.__module__ == "builtins" and base is not object:
            return base.__new__(kind)
    return object.__new__(kind)


def _as_generator(proxy: Any, objects: Objects, oid: int) -> Any:
    """A real generator, so that it is one to every question; its body runs there."""

    def generator() -> Any:
        return (yield from _Steps(proxy))

    made = generator()
    objects.remember(oid, made)
    objects.also(oid, proxy)
    return made


class _Steps:
    """Steps of a generator over there; iterating over it is iterating over itself."""

    def __init__(self, proxy: Any) -> None:
        self._proxy = proxy
        self.send, self.throw, self.close = proxy.send, proxy.throw, proxy.close

    def __iter__(self) -> "_Steps":
        return self

    def __next__(self) -> Any:
        return self._proxy.__next__()


def _as_coroutine(proxy: Any, objects: Objects, oid: int) -> Any:
    """A real coroutine, whose body runs there."""

    async def coroutine() -> Any:
        return await objects.link.later("awaited", proxy)

    made = coroutine()
    objects.remember(oid, made)
    objects.also(oid, proxy)
    return made


def _has_attributes(function: Any) -> bool:
    """Whether something was put on a function, so that it is more than what can be called."""
    if isinstance(function, LRU):
        return True
    names = vars(function) if isinstance(function, FunctionType) else ()
    return any(name[:2] != "__" for name in names)


LRU: Final = type(lru_cache(lambda: None))


def _base_value(value: Any) -> Any:
    """The value of an object derived from a built-in type, as that type, whatever its methods say."""
    for base, plain in BASE_VALUES.items():
        if isinstance(value, base):
            return plain(value)
    return None


BASE_VALUES: Final[dict[type, Callable[[Any], Any]]] = {
    int: int.__int__,
    float: float.__float__,
    complex: lambda value: complex.__add__(value, 0),
    str: str.__str__,
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
}
