"""Enumerations of the other process as real ones: their members are plain data, compared here.

Operators that an enumeration, or a class that it derives from, defines itself are asked of the other process.
"""

import enum
from typing import Any, Final

from refute.driver.proxy.classes import telling_of
from refute.driver.proxy.describing import LOOKED_UP
from refute.driver.proxy.functions import made_member
from refute.driver.proxy.roots import JUDGING, Current, Proxy, ProxyMeta, refuse_marks

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
    namespace["__module__"], namespace["__qualname__"], namespace["__doc__"] = (
        told["module"],
        told["qualname"],
        told["doc"],
    )
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
    """Whether a member of the enumeration is one of its mirror; what is Python's own there is Python's own here."""
    if name.startswith("_") and name.endswith("_"):
        return name == "_missing_" or name in LOOKED_UP
    return True
