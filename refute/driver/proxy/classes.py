"""Builds the class that stands for one of the other process; for an enumeration a real one, of plain data."""

import enum
from abc import ABCMeta
from types import MappingProxyType
from typing import Any, Final

from refute.driver.known import JUDGING, is_pythons_own, standing
from refute.driver.proxy.describing import HOLDING, LOOKED_UP
from refute.driver.proxy.functions import made_member
from refute.driver.proxy.roots import ASKED_DICT, Current, OwnDoc, Proxy, ProxyMeta, ProxyObject, refuse_marks
from refute.driver.values import VALUE_TYPES

Description = dict[str, Any]


class ProxyValue(Proxy):
    """An object derived from a built-in type: it holds its value here as well."""

    _refute_root_ = True

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        owner = next((base for base in type.mro(type(self)) if name in base.__dict__), None)
        if owner in HOLDING:
            Current.link.cannot(f"sets {name}, which a {owner.__name__} has: only one process sees it")


class ProxyError(Proxy):
    """An exception: raised here, with what the other side knows of it."""

    _refute_root_ = True
    __setattr__ = object.__setattr__  # type: ignore[assignment]  # as exceptions have it
    __delattr__ = object.__delattr__

    def __repr__(self) -> str:
        return BaseException.__repr__(self)  # type: ignore[arg-type]

    def __str__(self) -> str:
        text = self.__dict__.get("_refute_text_")
        return text if isinstance(text, str) else BaseException.__str__(self)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_refute_oid_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return super().__getattr__(name)


def build(cid: int, told: Description, bases: list[type]) -> type:
    """The proxy class."""
    namespace: dict[str, Any] = {
        "_refute_proxy_": True,
        "_refute_asks_": False,
        "__module__": told["module"],
        "__qualname__": told["qualname"],
        "__doc__": told["doc"],
    }
    bases = _with_root([base for base in bases if base is not object])
    if any(issubclass(base, ProxyObject) for base in bases):
        namespace["__doc__"] = OwnDoc(told["doc"])
        if all(issubclass(base, ProxyObject) or not getattr(base, "__dictoffset__", 0) for base in bases):
            namespace["__slots__"] = ()
    elif any(issubclass(base, ProxyValue) for base in bases):
        namespace["__dict__"] = ASKED_DICT  # in each class, or Python puts its own there
    telling = telling_of(bases)
    for name, kind in told["members"].items():
        namespace[name] = made_member(cid, name, kind, judging=name in telling)
    if "__await__" in told["members"]:
        namespace["__await__"] = lambda self: Current.link.later("awaited", self).__await__()
    error = any(issubclass(base, BaseException) for base in bases)
    if told["standard"] and not error and (real := standing(told["module"], told["qualname"])) is not None:
        namespace["__class__"] = property(lambda _: real)
    made = ProxyMeta(told["name"], tuple(bases), namespace)
    if told.get("abstract"):
        type.__setattr__(made, "__abstractmethods__", frozenset(map(str, told["abstract"])))
    for place in told.get("counts_as", ()):
        kind = standing(*place)
        if isinstance(kind, ABCMeta) and is_pythons_own(kind) and not issubclass(made, kind):
            kind.register(made)
    type.__setattr__(made, "_refute_asks_", bool(told["asks"]))  # not before: no class is asked while it is made
    return made


def build_bare(cid: int, told: Description, bases: list[type]) -> type:
    """What stands for a class that can have no proxy: its name, and the built-in type that holds its values."""
    line = [kind for base in bases for kind in type.mro(base)]
    plain = next((kind for kind in line if kind.__module__ == "builtins" and issubclass(kind, HOLDING)), None)
    bare = {name: told[name] for name in ("name", "qualname", "module", "doc")}
    bare |= {"members": {}, "standard": False, "asks": False, "meta": False}
    return build(cid, bare, [] if plain is None or told.get("enum") else [plain])


def _with_root(bases: list[type]) -> list[type]:
    """The bases with the right root among them."""
    if any(isinstance(base, ProxyMeta) for base in bases):
        return bases
    if any(issubclass(base, BaseException) for base in bases):
        return [ProxyError, *bases]
    return [ProxyValue if any(issubclass(base, HOLDING) for base in bases) else ProxyObject, *bases]


def telling_of(bases: list[type]) -> set[str]:
    """Methods that tell what a value is: where a class overrides those of its built-in type, it decides by them."""
    names = {name for base in bases for kind, reads in READ_AS.items() if issubclass(base, kind) for name in dir(reads)}
    return set(JUDGING) | (names - SILENT | JOINING if names else set())


READ_AS: Final[dict[type, type]] = {
    **{kind: kind for kind in VALUE_TYPES},
    list: tuple,
    dict: MappingProxyType,
    set: frozenset,
    bytearray: bytes,
}
"""Built-in types → one that has their methods, but for those that change it."""
SILENT: Final = frozenset({"__init__", "__repr__", "__new__", "__init_subclass__", "__class__", "__doc__", "__dir__"})
JOINING: Final = frozenset(
    {"__add__", "__radd__", "__mul__", "__rmul__", "__rmod__", "__ror__", "__rand__", "__rsub__", "__rxor__"}
) | {"__reversed__", "copy"}
"""Operators from the right as well: text has none of its own, but Python asks a derived class's first."""


SHOWING: Final = frozenset({"__str__", "__format__", "__repr__"})
"""Python puts these into every enumeration with a built-in type."""


def build_enum(cid: int, told: dict[str, Any], bases: list[type], members: list[tuple[str, Any]]) -> type:
    """The enumeration.

    Args:
        cid: the number of the class.
        told: what the other side says of it.
        bases: its bases as they are here.
        members: name and value of each, aliases included.

    Raises:
        TypeError: its members are objects of a class of the implementation's besides.
    """
    if mixed := next((base for base in bases if isinstance(base, ProxyMeta)), None):
        raise TypeError(f"its members are objects of {mixed.__name__}")
    meta: Any = type(enum.Enum) if not bases else type(bases[-1])
    namespace = enum.EnumMeta.__prepare__(told["name"], tuple(bases))
    namespace |= {f"__{name}__": told[name] for name in ("module", "qualname", "doc")}
    namespace["__getattr__"] = _missing
    namespace["__reduce_ex__"] = Proxy.__reduce_ex__
    telling = (JUDGING | LOOKED_UP | telling_of(bases)) - SHOWING
    for name, one in told["members"].items():
        member = made_member(cid, name, one, judging=name in telling)
        if _is_carried(name) and (member is not None or name == "__hash__"):
            namespace[name] = member
    for name, value in members:
        namespace[name] = enum.member(value)  # a function too
    return meta(told["name"], tuple(bases), namespace)  # type: ignore[no-any-return]


def _missing(one: Any, name: str) -> Any:
    """`__getattr__` of an enumeration: what a member has of its own."""
    refuse_marks(name)
    if name.startswith("_") and name.endswith("_"):
        raise AttributeError(name)
    return Current.link.request("get", one, name)


def _is_carried(name: str) -> bool:
    """Whether a member of the enumeration is one of its proxy; what is Python's own there is Python's own here."""
    if name.startswith("_") and name.endswith("_"):
        return name == "_missing_" or name in LOOKED_UP
    return True
