"""What one side tells the other of a class, so that it can be mirrored there."""

import _abc  # type: ignore[import-not-found]  # a module of CPython without stubs
import enum
import functools
import numbers
from abc import ABCMeta
from collections import abc, deque
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    WrapperDescriptorType,
)  # fmt: skip
from typing import Any, Final

from refute.driver.admitted import BUILDING, SPECIAL
from refute.driver.known import is_pythons_own
from refute.driver.proxy.functions import TEXT, signature_of, tell

Description = dict[str, Any]
SKIPPED: Final = frozenset(
    {
        "__new__", "__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__dict__", "__weakref__",
        "__class__", "__slots__", "__init_subclass__", "__subclasshook__", "__reduce__", "__reduce_ex__",
        "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__sizeof__", "__dir__", "__del__",
        "__module__", "__qualname__", "__doc__", "__name__", "__class_getitem__", "__copy__",
        "__deepcopy__", "__annotations__", "__dataclass_fields__", "__dataclass_params__", "__match_args__",
        "__orig_bases__", "__parameters__", "__abstractmethods__", "_abc_impl", "__static_attributes__",
    }
)  # fmt: skip
"""Members that the mirrored class has from its root, or that stay where they are."""
FUNCTIONS: Final = (
    FunctionType, BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, functools.partialmethod,
    functools.singledispatchmethod, type(functools.lru_cache(lambda: None)),
)  # fmt: skip
HOLDING: Final = (
    int, float, str, bytes, tuple, frozenset, complex, list, dict, set, bytearray, deque, BaseException, enum.Enum,
)  # fmt: skip
IN_META: Final = frozenset(
    {
        "__iter__", "__reversed__", "__len__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__bool__",
        "__instancecheck__", "__subclasscheck__", "__prepare__", "__lt__", "__le__", "__gt__", "__ge__", "__add__",
        "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__", "__rtruediv__", "__floordiv__",
        "__mod__", "__and__", "__rand__", "__or__", "__ror__", "__xor__", "__rxor__", "__matmul__", "__rmatmul__",
        "__lshift__", "__rshift__", "__pow__", "__neg__", "__pos__", "__abs__", "__invert__", "__enter__", "__exit__",
        "__repr__", "__str__", "__format__",
    }
)  # fmt: skip
"""Special methods of a class's class; that two classes are the same, and how they are made, is decided here."""
REGISTRIES: Final[dict[str, Any]] = {
    one.__name__: one
    for one in (
        abc.Sequence, abc.MutableSequence, abc.Set, abc.MutableSet, abc.Mapping, abc.MutableMapping,
        numbers.Number, numbers.Complex, numbers.Real, numbers.Rational, numbers.Integral,
    )
}  # fmt: skip
"""Abstract classes that do not look at members: a class is one of them by derivation or because somebody said so."""
LOOKED_UP: Final = SPECIAL - BUILDING
"""Special methods, which Python looks up in the class, whatever kind of descriptor stands for one there."""
OF_FLAGS: Final = tuple(
    one
    for name, one in vars(enum.Flag).items()
    if isinstance(one, FunctionType) and name not in {"__repr__", "__str__"}
)


def describe(kind: type, bases: list[Any]) -> Description:
    """Everything of a class but its objects.

    Args:
        kind: a class of this side.
        bases: how its bases are called between the two sides.
    """
    doc = kind.__dict__.get("__doc__")
    told: Description = {
        "name": kind.__name__,
        "qualname": kind.__qualname__,
        "module": str(kind.__module__),
        "doc": doc[:TEXT] if isinstance(doc, str) else None,
        "bases": bases,
        "members": _members(kind),
        "signature": signature_of(kind),
        "standard": is_pythons_own(kind),
        "asks": _asks(kind),
    }
    if not told["standard"] and (registered := _registered(kind)):
        told["registered"] = registered
    if (abstract := kind.__dict__.get("__abstractmethods__")) and isinstance(kind, ABCMeta):
        told["abstract"] = sorted(abstract)
    slots = kind.__dict__.get("__slots__", ())
    if isinstance(slots, list | tuple) and slots:
        told["slots"] = [str(name) for name in slots]
    if issubclass(kind, tuple) and isinstance(kind.__dict__.get("_fields"), tuple):
        told["tuple"] = [str(name) for name in kind.__dict__["_fields"]]
    if issubclass(kind, enum.Enum):
        told["enum"] = True
    if issubclass(kind, type):
        told["is_meta"] = True
    return told


def _registered(kind: type) -> list[str]:
    """Python's own abstract classes with which a class, or one of its bases, was registered."""
    return [name for name, one in REGISTRIES.items() if one not in kind.__mro__ and issubclass(kind, one)]


def stands_alone(kind: type) -> bool:
    """Whether a class of Python's own is mirrored without its bases; one that holds a built-in value keeps them."""
    return is_pythons_own(kind) and not issubclass(kind, HOLDING)


def checked(told: Description) -> None:
    """Leave out of a description what no honest side tells: names that would decide here instead of there."""
    members = told["members"]
    told["members"] = {
        name: member for name, member in members.items() if name not in SKIPPED and not name.startswith("_refute_")
    }
    if told.get("is_meta"):
        told["members"] = {
            name: member
            for name, member in told["members"].items()
            if name in IN_META or (not name.startswith(("__", "_abc_")) and name not in {"mro", "register"})
        }
    if "tuple" in told:
        told["tuple"] = [name for name in told["tuple"] if name.isidentifier() and not name.startswith("__")]


def _members(kind: type) -> dict[str, list[Any]]:
    """Name → kind of member and what is told of its function."""
    found = {}
    for name, value in _own(kind).items():
        told = _member(name, value)
        if told is None or name in SKIPPED or type(name) is not str or _is_of_flags(value):
            continue
        found[name] = told
    if "__eq__" in found and "__hash__" not in found and kind.__hash__ is not None:  # as a slot, for example
        found["__hash__"] = ["f", tell(kind.__hash__, "__hash__")]
    return found


def _is_of_flags(value: Any) -> bool:
    """Whether it is an operator of flags as Python has it: Python puts these into every class of flags."""
    return isinstance(value, FunctionType) and any(value is one for one in OF_FLAGS)


def _own(kind: type) -> dict[str, Any]:
    """The members of a class; of one of Python's own also those that it inherits, for its bases are not mirrored."""
    if not stands_alone(kind):
        return dict(vars(kind))
    merged: dict[str, Any] = {}
    for base in reversed(kind.__mro__[:-1]):
        merged.update(vars(base))
    return merged


def _member(name: str, value: Any) -> list[Any] | None:
    if value is None:
        return ["n"] if name.startswith("__") else None
    if isinstance(value, staticmethod):
        return ["s", tell(value.__func__, name)]
    if isinstance(value, classmethod | ClassMethodDescriptorType):
        return ["c", tell(getattr(value, "__func__", value), name)]
    if isinstance(value, property):
        return ["p", str(value.__doc__)[:TEXT] if value.__doc__ else None]
    if isinstance(value, FUNCTIONS) or (name in LOOKED_UP and hasattr(type(value), "__get__")):
        return ["f", tell(value, name)]
    return None


def _asks(kind: type) -> bool:
    """Whether only the class itself can say what counts as one of its objects."""
    if is_pythons_own(kind):
        return False
    if getattr(kind, "_is_protocol", False):
        return True
    hooks = (base for base in kind.__mro__ if "__subclasshook__" in vars(base) and not is_pythons_own(base))
    return isinstance(kind, ABCMeta) and (any(hooks) or bool(_abc._get_dump(kind)[0]))  # noqa: SLF001  # classes registered with it
