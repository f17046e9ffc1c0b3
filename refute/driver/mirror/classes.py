"""Builds the class that stands for one of the other process."""

import dataclasses
import functools
from collections.abc import Callable
from operator import itemgetter
from typing import Any, Final

from refute.driver.known import standing
from refute.driver.mirror.functions import shown_signature, stand_in
from refute.driver.mirror.roots import JUDGING, Current, Mirrored, MirroredObject, MirrorMeta

Description = dict[str, Any]
IMMUTABLE: Final = (int, float, str, bytes, tuple, frozenset, complex)
COMPARE: Final = ("__eq__", "__lt__", "__le__", "__gt__", "__ge__")


class MirroredValue(Mirrored):
    """An object derived from a built-in type: it holds its value here as well."""

    _refute_root_ = True

    def __setattr__(self, name: str, value: Any) -> None:
        Current.link.request("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        Current.link.request("del", self, name)


class MirroredError(Mirrored):
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


def build(cid: int, told: Description, bases: list[type]) -> type:
    """The mirrored class.

    Args:
        cid: the number of the class.
        told: what the other side says of it.
        bases: its bases as they are here.
    """
    namespace: dict[str, Any] = {
        "_refute_mirror_": True,
        "__module__": told["module"],
        "__qualname__": told["qualname"],
        "__doc__": told["doc"],
    }
    bases, light = _with_root([base for base in bases if base is not object])
    if light:
        namespace["__slots__"] = ()
    telling = _telling(bases)
    for name, member in told["members"].items():
        namespace[name] = _member(cid, str(name), member, judging=name in telling)
    _name_parts(namespace, told)
    if (signature := shown_signature(told["signature"])) is not None:
        namespace["__signature__"] = signature
    if "__await__" in told["members"]:
        namespace["__await__"] = lambda self: Current.link.later("awaited", self).__await__()  # type: ignore[attr-defined]
    error = any(issubclass(base, BaseException) for base in bases)
    if told["standard"] and not error and (real := standing(told["module"], told["qualname"])) is not None:
        namespace["__class__"] = property(lambda _: real)
    if "protocol" in told:
        namespace["_refute_protocol_"] = [str(name) for name in told["protocol"]]
    namespace["_refute_asks_"] = bool(told["asks"])
    meta = _metaclass(told["meta"], bases)
    kind: type = _make(meta, told["name"], bases, namespace)
    if "fields" in told:
        _be_dataclass(kind, told["fields"])
    return kind


def _make(meta: type, name: str, bases: list[type], namespace: dict[str, Any]) -> type:
    try:
        return meta(name, tuple(bases), namespace)  # type: ignore[no-any-return]
    except TypeError:  # bases that do not go together here: what the object can do is remote anyway
        mirrored = [base for base in bases if isinstance(base, MirrorMeta)][:1]
        namespace = {**namespace, "_refute_mirror_": True, "__slots__": ()}
        return meta(name, tuple(mirrored or [MirroredObject]), namespace)  # type: ignore[no-any-return]


def _with_root(bases: list[type]) -> tuple[list[type], bool]:
    """The bases with the right root among them, and whether objects have no content of their own here."""
    if any(isinstance(base, MirrorMeta) for base in bases):
        return bases, all(
            issubclass(base, MirroredObject) or not hasattr(base, "__dictoffset__") or base.__dictoffset__ == 0
            for base in bases
        ) and any(issubclass(base, MirroredObject) for base in bases)
    if any(issubclass(base, BaseException) for base in bases):
        return [MirroredError, *bases], False
    if any(issubclass(base, (*IMMUTABLE, list, dict, set, bytearray)) or base.__name__ == "deque" for base in bases):
        return [MirroredValue, *bases], False
    return [MirroredObject, *bases], True


def _metaclass(specials: list[str], bases: list[type]) -> type:
    metas = tuple(dict.fromkeys(type(base) for base in bases if isinstance(base, MirrorMeta))) or (MirrorMeta,)
    metas = tuple(one for one in metas if not any(other is not one and issubclass(other, one) for other in metas))
    if not specials and len(metas) == 1:
        return metas[0]

    def special(name: str) -> Callable[..., Any]:
        def method(cls: type, *args: Any) -> Any:
            __tracebackhide__ = True
            if name in JUDGING:
                Current.link.judged()
            return Current.link.request("meta", cls, name, *args)

        return method

    return type("type", metas, {str(name): special(str(name)) for name in specials if name != "__call__"})


def _telling(bases: list[type]) -> set[str]:
    """Methods that tell what a value is: where a class overrides those of its built-in type, it decides by them."""
    found = set(JUDGING)
    for base in bases:
        if issubclass(base, IMMUTABLE):
            found |= {name for kind in IMMUTABLE if issubclass(base, kind) for name in dir(kind)} - SILENT
        elif issubclass(base, (list, dict, set, bytearray)):
            found |= READING
    return found


SILENT: Final = frozenset({"__init__", "__repr__", "__new__", "__init_subclass__", "__class__", "__doc__", "__dir__"})
READING: Final = frozenset(
    {
        "__len__", "__iter__", "__reversed__", "count", "index", "copy", "isdisjoint", "issubset", "issuperset",
        "union", "intersection", "difference", "symmetric_difference", "__or__", "__and__", "__sub__", "__xor__",
    }
)  # fmt: skip


def _member(cid: int, name: str, member: list[Any], *, judging: bool) -> Any:
    kind = member[0]
    if kind == "n":
        return None
    if kind == "p":
        return property(
            functools.partial(_ask, "judge_get" if judging else "member_get", cid, name),
            functools.partial(_ask, "member_set", cid, name),
            functools.partial(_ask, "member_del", cid, name),
            member[1],
        )
    operation = "judge" if judging else "member"
    call = functools.partial(_ask, operation, cid, name)
    later = functools.partial(_ask_later, cid, name)
    function = stand_in(member[1], call, later)
    if kind == "c":
        return classmethod(function)
    return staticmethod(functools.partial(function, None)) if kind == "s" else function


def _ask(operation: str, cid: int, name: str, /, *args: Any, **kwargs: Any) -> Any:
    __tracebackhide__ = True
    if operation.startswith("judge"):
        Current.link.judged()
        operation = operation.replace("judge", "member")
    return Current.link.request(operation, cid, name, *args, **kwargs)


async def _ask_later(cid: int, name: str, /, *args: Any, **kwargs: Any) -> Any:
    __tracebackhide__ = True
    return await Current.link.later("member", cid, name, *args, **kwargs)  # type: ignore[attr-defined]


def _name_parts(namespace: dict[str, Any], told: Description) -> None:
    """The attributes of a named tuple read its items here."""
    names = told.get("tuple")
    if names:
        namespace["_fields"] = namespace["__match_args__"] = tuple(names)
        for place, name in enumerate(names):
            namespace[str(name)] = property(itemgetter(place))


def _be_dataclass(kind: type, told: Description) -> None:
    """Make `dataclasses.fields` and the like work, and compare fields here, where nobody can lie about the result."""
    generated = told["generated"]
    fields = {one[0]: _field(one) for one in told["all"]}
    type.__setattr__(kind, "__dataclass_fields__", fields)
    given = (True, True, told["eq"], told["order"], False, told["frozen"])  # init, repr, eq, order, unsafe_hash, frozen
    parameters = dataclasses._DataclassParams(*given)  # type: ignore[attr-defined]  # noqa: SLF001  # no public way
    type.__setattr__(kind, "__dataclass_params__", parameters)
    compared = [one[0] for one in told["all"] if one[1] == 0 and one[6]]
    hashed = [one[0] for one in told["all"] if one[1] == 0 and (one[6] if one[7] is None else one[7])]
    for name in COMPARE:
        if name in generated:
            type.__setattr__(kind, name, _comparison(name, compared))
    if "__hash__" in generated:
        type.__setattr__(kind, "__hash__", lambda self: hash(_values(self, hashed)))


def _comparison(name: str, compared: list[str]) -> Callable[[Any, Any], Any]:
    def compare(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        if not compared:  # the class, and so its author, says that all its objects are equal
            Current.link.judged()
        if self is other:
            return name in {"__eq__", "__le__", "__ge__"}
        return getattr(_values(self, compared), name)(_values(other, compared))

    return compare


def _values(one: Any, names: list[str]) -> tuple[Any, ...]:
    values: tuple[Any, ...] = Current.link.request("fields", one, names)
    return values


def _field(told: list[Any]) -> Any:
    name, kind, has, plain, init, shown, compared, hashed, keyword, made = told
    one: Any = dataclasses.field(
        **({"default": plain} if has else {"default_factory": lambda: None} if made else {}),
        init=init, repr=shown, compare=compared, hash=hashed, kw_only=keyword,
    )  # fmt: skip
    one.name, one.type = name, Any
    one._field_type = (dataclasses._FIELD, dataclasses._FIELD_CLASSVAR, dataclasses._FIELD_INITVAR)[kind]  # type: ignore[attr-defined]  # noqa: SLF001
    return one
