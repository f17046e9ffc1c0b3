"""Enumerations of the other process as real ones: their members are plain data, compared here."""

import enum
import functools
from typing import Any

from refute.driver.mirror.functions import stand_in
from refute.driver.mirror.members import ask, made_member
from refute.driver.mirror.roots import JUDGING, Current, Mirrored, refuse_marks


class Spec:
    """What makes one member."""

    def __init__(self, value: Any, content: Any) -> None:
        self.value = value
        self.content = content


def build_enum(
    cid: int, told: dict[str, Any], bases: list[type], own_meta: type | None, members: list[tuple[str, Any, Any]]
) -> type:
    """The enumeration.

    Args:
        cid: the number of the class.
        told: what the other side says of it.
        bases: its bases as they are here: built-in types and Python's own enumerations.
        own_meta: the mirrored class of the enumeration, where it is none of Python's own.
        members: name, value, and what it is of its built-in type, for each, aliases included.
    """
    data = next((base for base in bases if not issubclass(base, enum.Enum) and base is not object), None)
    for base in bases:
        data = data or getattr(base, "_member_type_", None)
    meta: Any = type(enum.Enum) if not bases else type(bases[-1])
    if own_meta is not None and issubclass(own_meta, enum.EnumMeta):
        meta = own_meta
    namespace = enum.EnumMeta.__prepare__(told["name"], tuple(bases))

    maker: Any = data if data is not None else object

    def new(cls: type, *given: Any) -> Any:
        spec = given[0] if given and isinstance(given[0], Spec) else None  # none in one that a test derives
        content = given if spec is None else (spec.content,)
        made: Any = object.__new__(cls) if maker is object else maker.__new__(cls, *content)
        if spec is not None:
            made._value_ = spec.value
        return made

    def missing(cls: type, name: str) -> Any:
        refuse_marks(name)
        if name.startswith("_"):
            raise AttributeError(name)
        return Current.link.request("get", cls, name)

    namespace["__module__"], namespace["__qualname__"], namespace["__doc__"] = (
        told["module"],
        told["qualname"],
        told["doc"],
    )
    namespace["__new__"] = new
    namespace["__getattr__"] = missing
    namespace["__reduce_ex__"] = Mirrored.__reduce_ex__
    for name, member in told["members"].items():
        value = _member(cid, name, member) if _is_carried(name) else None
        if value is not None:
            namespace[name] = value
    for name, value, content in members:
        namespace[name] = Spec(value, content)
    return meta(told["name"], tuple(bases), namespace)  # type: ignore[no-any-return]


TAKEN = frozenset(
    {"__new__", "__init__", "__init_subclass__", "__hash__", "__eq__", "__ne__", "__reduce_ex__", "__members__",
     "__class__", "__or__", "__and__", "__xor__", "__invert__", "__contains__", "__bool__", "__len__", "__iter__",
     "__ror__", "__rand__", "__rxor__", "__deepcopy__", "__copy__"}
)  # fmt: skip


def _is_carried(name: str) -> bool:
    """Whether a member of the enumeration is told to the mirror; what compares and counts is Python's own here."""
    if name in {"__str__", "__repr__", "__format__", "_missing_"}:
        return True
    return not name.startswith("_") or (name.startswith("__") and name not in TAKEN)


def _member(cid: int, name: str, member: list[Any]) -> Any:
    if member[0] == "p":
        return property(functools.partial(ask, "member_get", cid, name), doc=member[1])
    if member[0] == "n":
        return None
    made = made_member(cid, name, member, judging=name in JUDGING)
    return made if member[0] != "f" else stand_in(member[1], made, made)
