"""Classes of one side that derive from classes of the other: their members go there, where the class is made too."""

from typing import Any, Final

UNTOLD: Final = frozenset(
    {
        "__module__", "__qualname__", "__classcell__", "__slots__", "__dict__", "__weakref__",
        "__orig_bases__", "__abstractmethods__", "_abc_impl", "__parameters__",
    }
)  # fmt: skip
Member = tuple[str, str, Any]
"""Name, kind (`f`, `c` of a class, `s` static, `p` a property's functions) and what it is."""


def told_members(namespace: dict[str, Any]) -> list[Member]:
    """The members of a class, for the other side to make it of."""
    told = (item for item in namespace.items() if item[0] not in UNTOLD and not is_field(item[1]))
    return [told_member(name, value) for name, value in told]


def is_field(value: Any) -> bool:
    """Whether it is a declared field, which stands in a class only until `dataclass` has looked at it."""
    return (type(value).__module__, type(value).__qualname__) == ("dataclasses", "Field")


def is_data(name: str, value: Any) -> bool:
    """Whether a class that is made on the other side as well has it there alone: values are asked for.

    A metaclass may take it out there, as those of declared fields do, and an object may have a value of its own.
    """
    hidden = name[:2] == "__" or "pytest" in name or is_field(value)
    return not hidden and (is_proxy(value) or not hasattr(type(value), "__get__"))


def is_proxy(value: Any) -> bool:
    """Whether it is an object of the other side's."""
    return any("_refute_root_" in vars(base) for base in type.mro(type(value)))


def told_member(name: str, value: Any) -> Member:
    """One member, for the other side."""
    if isinstance(value, classmethod):
        return name, "c", value.__func__
    if isinstance(value, staticmethod):
        return name, "s", value.__func__
    if isinstance(value, property):
        return name, "p", (value.fget, value.fset, value.fdel)
    return name, "f", value


def as_member(how: str, value: Any) -> Any:
    """What `told_member` tells of."""
    if how == "c":
        return classmethod(value)
    if how == "s":
        return staticmethod(value)
    return property(*value) if how == "p" else value
