"""The connection, and what stands for classes and objects of the other process: what is no member goes there."""

import sys
from abc import ABCMeta
from functools import partial
from typing import Any, ClassVar, Final

from refute.driver.extending import is_data, is_field, is_proxy, told_member
from refute.driver.proxy.describing import shown_attribute

OURS: Final = ("pytest", "hypothesis")
"""Attributes with these in their names are marks of the test libraries, which no object of the other side has."""


class Current:
    """The one connection of this process."""

    link: ClassVar[Any]


def refuse_marks(name: str) -> None:
    """Deny what only the test libraries look for. Raises AttributeError: it is such a name."""
    if any(mark in name for mark in OURS):
        raise AttributeError(name)


NAMES: Final = frozenset({"__doc__", "__name__", "__qualname__"})
"""What a class is called, on both sides."""


def as_written(kind: type, name: str, found: Any) -> Any:
    """A value that was asked for; where a test's class has another one under this name, the other side decides."""
    told = (vars(base).get("_refute_data_", {}) for base in type.mro(kind))
    written = next((data[name] for data in told if name in data), found)
    if found is not written and (type(found) is not type(written) or found != written):
        Current.link.judged()
    return found


def _for_abc() -> bool:
    """Whether `abc` asks, which looks through all that count as derived from one of Python's own abstract classes."""
    frame: Any = sys._getframe(1)  # noqa: SLF001  # the caller is the question
    while frame.f_globals is globals():
        frame = frame.f_back
    return bool(frame.f_globals.get("__name__") == "abc")


def _says(cls: Any, operation: str, *about: Any) -> bool:
    """What a class says of its own that alone can say what counts as one of its objects."""
    if not cls.__dict__.get("_refute_asks_") or _for_abc():
        return False
    Current.link.judged()
    return bool(Current.link.request(operation, *about))


def _refuse_patch(cls: Any, name: str) -> None:
    """A test that replaces a method of the implementation's class has a proxy in its hands to put back."""
    if Current.link.objects.in_driver and "_refute_asks_" in cls.__dict__ and name in cls.__dict__:
        Current.link.cannot(f"needs the implementation in the test's process: replaces {cls.__name__}.{name}")


class ProxyMeta(ABCMeta):
    """The class of proxy classes, and of classes that derive from them here, perhaps from abstract ones besides.

    Whatever abstract classes do is done on the other side.
    """

    _refute_root_ = True

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], /, **kwargs: Any) -> "ProxyMeta":
        """Make a class; one that a test derives is made in the other process as well."""
        if namespace.pop("_refute_proxy_", False):
            return type.__new__(mcs, name, bases, namespace)
        here = {key: value for key, value in namespace.items() if not is_data(key, value)}
        # What the test wrote is compared: another value is what the implementation says.
        data = {key: value for key, value in namespace.items() if key not in here and not is_proxy(value)}
        made = type.__new__(mcs, name, bases, {"__slots__": (), **here, "_refute_data_": data})
        Current.link.extend(made, {**namespace, "_refute_keywords_": kwargs})
        return made

    def __call__(cls, /, *args: Any, **kwargs: Any) -> Any:
        """Make an object, there."""
        __tracebackhide__ = True
        return Current.link.request("call", cls, *args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        """Whether an object is one of this class."""
        if "_refute_root_" in cls.__dict__:  # ours: whatever an object says of itself
            return cls in type.mro(type(instance))
        return type.__instancecheck__(cls, instance) or _says(cls, "isinstance", instance, cls)

    def __subclasscheck__(cls, subclass: type) -> bool:
        """Whether a class derives from this one."""
        return type.__subclasscheck__(cls, subclass) or _says(cls, "issubclass", subclass, cls)

    def __getattr__(cls, name: str) -> Any:
        """An attribute of the class that is no method."""
        __tracebackhide__ = True
        refuse_marks(name)
        if name.startswith("_refute_") or name == "__wrapped__" or (name == "__abstractmethods__" and _for_abc()):
            raise AttributeError(name)
        if name == "__signature__":
            return shown_attribute(Current.link.request("shape", cls), name)
        return as_written(cls, name, Current.link.request("get", cls, name))

    def __setattr__(cls, name: str, value: Any) -> None:
        """Set an attribute of the class in both processes."""
        if name.startswith(("__dataclass", "__match")) or name in NAMES | {"__module__"}:
            type.__setattr__(cls, name, value)
            if name == "__dataclass_params__" and value.frozen and "_refute_asks_" not in cls.__dict__:
                Current.link.cannot(
                    "needs the implementation in the test's process: derives a frozen dataclass from it"
                )
            if name not in NAMES or "_refute_asks_" in cls.__dict__:
                return
        _refuse_patch(cls, name)
        if isinstance(value, property | classmethod | staticmethod):
            Current.link.request("put", cls, *told_member(name, value))
        else:
            Current.link.request("set", cls, name, value)
        if name in cls.__dict__:
            type.__setattr__(cls, name, value)

    def __delattr__(cls, name: str) -> None:
        """Delete an attribute of the class."""
        if is_field(cls.__dict__.get(name)):
            type.__delattr__(cls, name)
            return
        Current.link.cannot(f"needs the implementation in the test's process: deletes {cls.__name__}.{name}")

    def register(cls, subclass: type) -> type:
        """Let a class count as derived from this one, which is asked from now on."""
        Current.link.request("register", cls, subclass)
        type.__setattr__(cls, "_refute_asks_", True)
        return subclass

    def __subclasses__(cls) -> list[type]:
        """The classes that derive from this one there."""
        return list(Current.link.request("subclasses", cls))

    @property
    def __mro__(cls) -> tuple[type, ...]:
        """The classes that the other side has it derive from."""
        return tuple(kind for kind in type.mro(cls) if "_refute_root_" not in kind.__dict__)

    @property
    def __bases__(cls) -> tuple[type, ...]:  # type: ignore[override]
        """As `__mro__`."""
        found = tuple(kind for kind in type.__dict__["__bases__"].__get__(cls) if "_refute_root_" not in kind.__dict__)
        return found or (object,)

    def __dir__(cls) -> list[str]:
        """The names that the class has there."""
        return list(Current.link.request("dir", cls))


ProxyMeta.__name__ = ProxyMeta.__qualname__ = "type"  # what a class's class is called


class _Copied:
    """`__copy__` as `copy.copy` looks for it, in the class; an object has one where the other side says so.

    `itertools.tee` copies what has one and else iterates, which is what it has to do with most iterators.
    """

    def __get__(self, made: Any, kind: type) -> Any:
        if made is not None:
            raise AttributeError("__copy__")  # `__getattr__` is asked next, and asks over there
        return partial(Current.link.request, "copy")


ASKED_DICT: Final[Any] = property(lambda one: Current.link.request("vars", one))
"""`__dict__` of what keeps its attributes in the other process."""


class Proxy:
    """What every proxy object has, of whatever built-in type it may be besides."""

    __slots__ = ()
    _refute_root_ = True

    def __getattr__(self, name: str) -> Any:
        __tracebackhide__ = True
        refuse_marks(name)
        return as_written(type(self), name, Current.link.request("get", self, name))

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        Current.link.request("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        __tracebackhide__ = True
        Current.link.request("del", self, name)

    def __repr__(self) -> str:
        return str(Current.link.request("repr", self))

    def __str__(self) -> str:
        return str(Current.link.request("str", self))

    def __format__(self, spec: str) -> str:
        return str(Current.link.request("format", self, spec))

    __copy__ = _Copied()

    def __deepcopy__(self, _: Any) -> Any:
        return Current.link.request("deepcopy", self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        Current.link.cannot("needs the implementation in the test's process: pickles an object of it")

    def __dir__(self) -> list[str]:
        return list(Current.link.request("dir", self))


class OwnDoc:
    """`__doc__`: what a class says, unless an object has one of its own, as `functools.update_wrapper` gives it."""

    def __init__(self, text: str | None) -> None:
        self._text = text

    def __get__(self, made: Any, kind: type) -> Any:
        if made is None:
            return self._text
        try:
            return Current.link.request("get", made, "__doc__")
        except AttributeError:
            return self._text


class ProxyObject(Proxy, metaclass=ProxyMeta):
    """An object that stays in the other process, all of it."""

    _refute_proxy_ = True
    _refute_root_ = True
    __slots__ = ("__weakref__",)

    def __del__(self) -> None:
        Current.link.dies(self)

    __dict__ = ASKED_DICT
