"""What one side tells the other of a class and of what can be called: names, bases, members, parameters."""

import _abc  # type: ignore[import-not-found]  # a module of CPython without stubs
import collections.abc
import contextlib
import enum
import functools
import inspect
from abc import ABCMeta
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    SimpleNamespace,
    WrapperDescriptorType,
)  # fmt: skip
from typing import Any, Final, Generic, Protocol

from refute.driver.containers import MUTABLE
from refute.driver.known import BUILDING, SPECIAL, is_pythons_own, place_of
from refute.driver.values import VALUE_TYPES

TEXT: Final = 20_000
PLAIN: Final = (type(None), bool, int, float, str)
ITEMS: Final = 50
"""Items of a default that is told as a tuple."""
BUILT_IN: Final = {kind.__name__: kind for kind in (int, float, str, bool, bytes, list, dict, set, tuple, object)}
READ: Final = ("__wrapped__", "__signature__", "__test__", "__isabstractmethod__", "__self__", "__unittest")
"""Attributes put on functions that Python or pytest acts by, beside those that every function has."""
KINDS: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ITERABLE_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Flags of code that say what a call of it gives."""
FACTS: Final = ("co_name", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_varnames")
Parameter = inspect.Parameter
Shape = tuple[Any, Any, Any]


class CodeFacts(SimpleNamespace):
    """What a function's code says of its parameters; nothing runs it."""


class Shown:
    """Something of the other process that is only ever looked at: a default, an annotation."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def evaluated(read: Callable[..., Any], of: Any) -> Any:
    """What `inspect` reads of annotations; one that is written as text is what it names, if it names it.

    Raises:
        Exception: there is nothing to be read.
    """
    with contextlib.suppress(Exception):
        return read(of, eval_str=True)
    return read(of)


def shape_of(function: Any, annotation: Callable[[Any], Any]) -> Shape:
    """What is told of something that can be called: flags of its code if any, parameters, what it returns."""
    flags = function.__code__.co_flags & KINDS if type(function) is FunctionType else None
    try:
        signature = evaluated(inspect.signature, function)
    except Exception:
        return flags, None, ()

    def told(one: Any) -> tuple[Any, ...]:
        return () if one is Parameter.empty else (annotation(one),)

    parameters = signature.parameters.values()
    shown = tuple((one.name, int(one.kind), *_default(one.default), told(one.annotation)) for one in parameters)
    return flags, shown, told(signature.return_annotation)


def _default(value: Any) -> tuple[int, Any]:
    """How a default is told: none at all, a plain one, or its text."""
    if value is Parameter.empty:
        return 0, None
    if _is_plain(value) or (type(value) is tuple and len(value) <= ITEMS and all(map(_is_plain, value))):
        return 1, value
    return 2, text_of(value)


def _is_plain(value: Any) -> bool:
    return type(value) in PLAIN and not (isinstance(value, int) and abs(value) > 1 << 62)


def text_of(value: Any) -> str:
    """An annotation or default in words."""
    if isinstance(value, type):
        return value.__qualname__
    if isinstance(value, str):
        return value[:200]
    with contextlib.suppress(Exception):
        return repr(value)[:200]
    return object.__repr__(value)


def _shown(shape: Shape) -> FunctionType:
    """A function that takes what was told of, and does nothing; nobody calls it."""
    flags, parameters, returned = shape
    names = {kind: tuple(str(name) for name, of, *_ in parameters if of == kind) for kind in inspect._ParameterKind}  # noqa: SLF001
    plain, either, star, by_name, stars = names.values()
    flags = (flags or 0) & KINDS | bool(star) * inspect.CO_VARARGS | bool(stars) * inspect.CO_VARKEYWORDS
    varnames = plain + either + by_name + star + stars
    code = (lambda: None).__code__.replace(
        co_argcount=len(plain + either), co_posonlyargcount=len(plain), co_kwonlyargcount=len(by_name),
        co_varnames=varnames, co_nlocals=len(varnames), co_flags=flags | inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS,
    )  # fmt: skip
    made = FunctionType(code, {})
    given = {name: Shown(str(one)) if how == 2 else one for name, _, how, one, _ in parameters if how}  # noqa: PLR2004  # see `_default`
    made.__defaults__ = tuple(one for name, one in given.items() if name in plain + either) or None
    made.__kwdefaults__ = {name: one for name, one in given.items() if name in by_name} or None
    told = [*((name, one) for name, _, _, _, one in parameters), ("return", returned)]
    # Text is never evaluated, and names a class where that is a plain one.
    made.__annotations__ = {
        name: BUILT_IN.get(one, Shown(one)) if type(one) is str else one
        for name, annotation in told
        for one in annotation
    }
    return made


def shown_attribute(shape: Shape, name: str) -> Any:
    """One of the attributes of a function that say what it takes. Raises AttributeError: what was told of has none."""
    flags, parameters, _ = shape
    if parameters is None or (flags is None and name != "__signature__"):
        raise AttributeError(name)
    made = _shown(shape)
    if name == "__code__":
        return CodeFacts(**{fact: getattr(made.__code__, fact) for fact in FACTS})
    return inspect.signature(made) if name == "__signature__" else getattr(made, name)


def is_hidden(name: str) -> bool:
    """Whether an attribute of a function is for whoever made it, or for those who run tests."""
    return hasattr(FunctionType, name) or name.startswith((*READ, "_refute", "_pytest", "_hypothesis"))


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
"""Members that the proxy class has from its root, or that stay where they are."""
FUNCTIONS: Final = (
    FunctionType, BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, functools.partialmethod,
    functools.singledispatchmethod, type(functools.lru_cache(lambda: None)),
)  # fmt: skip
HOLDING: Final = (*VALUE_TYPES, *MUTABLE, BaseException, enum.Enum)
"""Types whose objects hold a value, here as well as there."""
OPERATORS: Final = SPECIAL - {"__call__", "__instancecheck__", "__init__", "__eq__", "__hash__"}
"""What a class of classes may have that a proxy for one of them lacks."""
ACTING: Final = frozenset({Protocol, Generic, type})
"""Bases that act when a class derives from them; what they give comes from the other side."""
INTERFACES: Final = tuple(vars(collections.abc)[name] for name in collections.abc.__all__)
LOOKED_UP: Final = SPECIAL - BUILDING
"""Special methods, which Python looks up in the class, whatever kind of descriptor stands for one there."""


def describe(kind: type, bases: list[Any]) -> Description:
    """Everything of a class but its objects."""
    doc = kind.__dict__.get("__doc__")
    abstract = {one for one in (*INTERFACES, *kind.__mro__) if is_interface(one)} - ACTING
    return {
        "name": kind.__name__,
        "qualname": kind.__qualname__,
        "module": str(kind.__module__),
        "doc": doc[:TEXT] if isinstance(doc, str) else None,
        "bases": bases,
        "members": _members(kind),
        "standard": is_pythons_own(kind),
        "asks": _asks(kind),
        "meta": any(name in vars(one) for one in _metas(kind) for name in OPERATORS),
        "is_meta": issubclass(kind, type),
        "enum": issubclass(kind, enum.Enum),
        "abstract": sorted(vars(kind).get("__abstractmethods__", ())) if inspect.isabstract(kind) else [],
        "counts_as": sorted(place_of(one) for one in abstract if issubclass(kind, one)),
    }


def is_interface(kind: type) -> bool:
    """Whether a base of Python's own only says what a class can do: it counts as one, and is asked for its methods."""
    return kind in ACTING or (type(kind) is ABCMeta and is_pythons_own(kind))


def stands_alone(kind: type) -> bool:
    """Whether a class of Python's own has a proxy without its bases; one that holds a built-in value keeps them."""
    return is_pythons_own(kind) and not issubclass(kind, HOLDING)


def checked(told: Description) -> None:
    """Leave out of a description what no honest side tells: names that would decide here instead of there."""
    told["members"] = {
        str(name): str(kind)
        for name, kind in told["members"].items()
        if name not in SKIPPED and not name.startswith("_refute_")
    }


def _members(kind: type) -> dict[str, str]:
    """Name → kind of member, as `made_member` has it."""
    alone = stands_alone(kind)
    flat = {base for one in kind.__bases__ if alone or is_interface(one) for base in one.__mro__[:-1]}  # not proxied
    own = {name: one for base in reversed(kind.__mro__) if base in flat for name, one in vars(base).items()}
    own |= vars(kind)
    asked = {
        name for meta in _metas(kind) for name in vars(meta) if name[:2] != "__"
    }  # a class has that of its own class
    found = {
        name: how
        for name, one in own.items()
        if type(name) is str and name not in SKIPPED | asked and (how := _member(name, one)) is not None
    }
    if "__eq__" in found and "__hash__" not in found and kind.__hash__ is not None:  # as a slot, for example
        found["__hash__"] = "f"
    return found


def _member(name: str, value: Any) -> str | None:
    if value is None:
        return "n" if name.startswith("__") else None
    if isinstance(value, staticmethod):
        return "s"
    if isinstance(value, classmethod | ClassMethodDescriptorType):
        return "c"
    if isinstance(value, property):
        return f"p{value.__doc__ or ''}"[:TEXT]
    if name[:2] == "__" and name not in {"__repr__", "__str__"} and value is vars(enum.Flag).get(name):
        return None  # Python puts them into each class
    return "f" if isinstance(value, FUNCTIONS) or (name in LOOKED_UP and hasattr(type(value), "__get__")) else None


def _asks(kind: type) -> bool:
    """Whether only the class itself can say what counts as one of its objects."""
    if is_pythons_own(kind):
        return False
    if getattr(kind, "_is_protocol", False) or any("__instancecheck__" in vars(one) for one in _metas(kind)):
        return True
    hooks = (base for base in kind.__mro__ if "__subclasshook__" in vars(base) and not is_pythons_own(base))
    return isinstance(kind, ABCMeta) and (any(hooks) or bool(_abc._get_dump(kind)[0]))  # noqa: SLF001  # classes registered with it


def _metas(kind: type) -> list[type]:
    return [one for one in type.mro(type(kind)) if not is_pythons_own(one)]
