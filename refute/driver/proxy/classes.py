"""Builds the class that stands for one of the other process."""

from types import FunctionType, MappingProxyType, MemberDescriptorType
from typing import Any, Final

from refute.driver.base_values import VALUE_TYPES
from refute.driver.known import standing
from refute.driver.proxy.current import JUDGING, Current
from refute.driver.proxy.describing import REGISTRIES
from refute.driver.proxy.functions import shown_signature
from refute.driver.proxy.members import made_member, name_parts
from refute.driver.proxy.proxied import OwnDoc, Proxy, ProxyObject
from refute.driver.proxy.roots import ProxyMeta
from refute.driver.proxy.standing import cover, may_stand_behind

Description = dict[str, Any]


class ProxyValue(Proxy):
    """An object derived from a built-in type: it holds its value here as well."""

    _refute_root_ = True

    def __setattr__(self, name: str, value: Any) -> None:
        if _is_slot(self, name):
            object.__setattr__(self, name, value)  # Python's own code builds one here: a path's parent, for example
            return
        Current.link.request("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        Current.link.request("del", self, name)

    def __getattr__(self, name: str) -> Any:
        __tracebackhide__ = True
        if _is_slot(self, name):
            raise AttributeError(name)
        return super().__getattr__(name)


class ProxyError(Proxy):
    """An exception: raised here, with what the other side knows of it."""

    _refute_root_ = True

    def __repr__(self) -> str:
        return BaseException.__repr__(self)  # type: ignore[arg-type]

    def __str__(self) -> str:
        text = self.__dict__.get("_refute_text_")
        return text if isinstance(text, str) else BaseException.__str__(self)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_refute_oid_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return super().__getattr__(name)


def _is_slot(one: Any, name: str) -> bool:
    return any(type(vars(base).get(name)) is MemberDescriptorType for base in type.mro(type(one)))


def build(cid: int, told: Description, bases: list[type], meta: type | None) -> type:
    """The mirrored class.

    Args:
        cid: the number of the class.
        told: what the other side says of it.
        bases: its bases as they are here.
        meta: the mirrored class of the class, where it is none of Python's own.
    """
    namespace: dict[str, Any] = {
        "_refute_proxy_": True,
        "__module__": told["module"],
        "__qualname__": told["qualname"],
        "__doc__": told["doc"],
    }
    bases, light = _with_root([base for base in bases if base is not object])
    if any(issubclass(base, ProxyObject) for base in bases):
        namespace["__doc__"] = OwnDoc(told["doc"])
    if light:
        namespace["__slots__"] = ()
    telling = telling_of(bases)
    for name, told_member in told["members"].items():
        namespace[name] = made_member(cid, str(name), told_member, judging=name in telling)
    abstract = _abstract(told, namespace)
    name_parts(namespace, told)
    if (signature := shown_signature(told["signature"])) is not None:
        namespace["__signature__"] = signature
    if "__await__" in told["members"]:
        namespace["__await__"] = lambda self: Current.link.later("awaited", self).__await__()  # type: ignore[attr-defined]
    error = any(issubclass(base, BaseException) for base in bases)
    if told["standard"] and not error and (real := standing(told["module"], told["qualname"])) is not None:
        namespace["__class__"] = property(lambda _: real)
        if may_stand_behind(real):
            bases = [*bases, real]
            namespace["__dict__"] = vars(ProxyObject)["__dict__"]  # else Python adds one: the empty object's
            cover(namespace, real, cid)
    namespace["_refute_asks_"] = bool(told["asks"])
    kind: type = _make(_metaclass(meta, bases), told["name"], bases, namespace)
    _complete(kind, told, abstract)
    return kind


def build_bare(cid: int, told: Description, bases: list[type]) -> type:
    """What stands for a class that cannot be mirrored: its name, and the built-in type that holds its values.

    Args:
        cid: the number of the class.
        told: what the other side says of it.
        bases: its bases as they are here.
    """
    line = [kind for base in bases for kind in type.mro(base)]
    holding = (*VALUE_TYPES, list, dict, set, bytearray, BaseException)
    plain = next((kind for kind in line if kind.__module__ == "builtins" and issubclass(kind, holding)), None)
    plain = plain or next((kind for kind in VALUE_TYPES if kind in line), None)
    bare = {name: told[name] for name in ("name", "qualname", "module", "doc")}
    bare |= {"members": {}, "signature": None, "standard": False, "asks": False}
    return build(cid, bare, [] if plain is None or told.get("enum") else [plain], None)


def _complete(kind: type, told: Description, abstract: frozenset[str]) -> None:
    """Put on a class what would do something else while it is made."""
    type.__setattr__(kind, "__abstractmethods__", abstract)
    if "slots" in told:
        type.__setattr__(kind, "__slots__", tuple(map(str, told["slots"])))
    _register(kind, told.get("registered", ()))


def _register(kind: type, names: list[str]) -> None:
    """Let a class count as one of Python's own abstract ones, as it does there."""
    asks = kind.__dict__["_refute_asks_"]
    type.__setattr__(kind, "_refute_asks_", False)  # Python first asks whether it is the other way round
    for name in names:
        if not issubclass(kind, REGISTRIES[name]):
            REGISTRIES[name].register(kind)
    type.__setattr__(kind, "_refute_asks_", asks)


def _abstract(told: Description, namespace: dict[str, Any]) -> frozenset[str]:
    """The names of abstract members; the functions among them say so themselves, too."""
    names = frozenset(map(str, told.get("abstract", ())))
    for name in names:
        if isinstance(namespace.get(name), FunctionType):
            namespace[name].__isabstractmethod__ = True  # what `abstractmethod` puts on one
    return names


def _make(meta: type, name: str, bases: list[type], namespace: dict[str, Any]) -> type:
    try:
        return meta(name, tuple(bases), namespace)  # type: ignore[no-any-return]
    except TypeError:  # bases that do not go together here: what the object can do is remote anyway
        mirrored = [base for base in bases if isinstance(base, ProxyMeta)][:1]
        namespace = {**namespace, "_refute_proxy_": True, "__slots__": ()}
        return meta(name, tuple(mirrored or [ProxyObject]), namespace)  # type: ignore[no-any-return]


def _with_root(bases: list[type]) -> tuple[list[type], bool]:
    """The bases with the right root among them, and whether objects have no content of their own here."""
    if any(isinstance(base, ProxyMeta) for base in bases):
        return bases, all(
            issubclass(base, ProxyObject) or not hasattr(base, "__dictoffset__") or base.__dictoffset__ == 0
            for base in bases
        ) and any(issubclass(base, ProxyObject) for base in bases)
    if any(issubclass(base, BaseException) for base in bases):
        return [ProxyError, *bases], False
    if any(issubclass(base, (*VALUE_TYPES, list, dict, set, bytearray)) or base.__name__ == "deque" for base in bases):
        return [ProxyValue, *bases], False
    return [ProxyObject, *bases], True


def _metaclass(meta: type | None, bases: list[type]) -> type:
    """The class of the mirrored class: the one told of, or the most derived one of its bases'."""
    metas = {type(base): None for base in bases if isinstance(base, ProxyMeta)}
    if meta is not None and issubclass(meta, ProxyMeta):
        metas[meta] = None
    found = [one for one in metas if not any(other is not one and issubclass(other, one) for other in metas)]
    return found[0] if found else ProxyMeta


def telling_of(bases: list[type]) -> set[str]:
    """Methods that tell what a value is: where a class overrides those of its built-in type, it decides by them."""
    names = {name for base in bases for kind, reads in READ_AS.items() if issubclass(base, kind) for name in dir(reads)}
    return set(JUDGING) | (names - SILENT | JOINING if names else set())


READ_AS: Final[dict[type, type]] = {
    **{kind: kind for kind in (*VALUE_TYPES, BaseExceptionGroup)},
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
