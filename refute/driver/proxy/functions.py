"""Functions of the other process: called there; what code reads of one is asked for when it is read."""

from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Final

from refute.driver.proxy.current import Current
from refute.driver.proxy.proxied import Proxy
from refute.driver.proxy.signatures import shown_attribute

SHAPED: Final = frozenset({"__code__", "__defaults__", "__kwdefaults__", "__annotations__", "__signature__"})
"""What is told of a function all at once."""


class Called(Proxy):
    """Stands for something that can be called.

    Args:
        oid: its number.
    """

    __slots__ = ("__weakref__", "_refute_oid_", "_refute_shape_")
    _refute_root_ = True

    def __init__(self, oid: int) -> None:
        object.__setattr__(self, "_refute_oid_", oid)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call it, there."""
        __tracebackhide__ = True
        return Current.link.call(self._refute_oid_, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        __tracebackhide__ = True
        if name == "_refute_shape_":
            object.__setattr__(self, name, Current.link.request("shape", self))
            return self._refute_shape_
        if name == "__globals__":  # what a copy of the function would run in, by the code that is told of
            return {"cannot": Current.link.cannot}
        if name == "__closure__":
            return None
        if name in SHAPED:
            return shown_attribute(self._refute_shape_, name)
        return super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        Current.link.request("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        Current.link.request("del", self, name)

    def __del__(self) -> None:
        Current.link.dies(self)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: Any) -> Any:
        return self

    __doc__ = property(lambda self: self.__getattr__("__doc__"))
    __module__ = property(lambda self: self.__getattr__("__module__"))
    __dict__ = property(lambda self: Current.link.request("vars", self))


class Function(Called):
    """Stands for a function: it is bound as one, and says that it is one."""

    __slots__ = ()
    _refute_root_ = True

    def __get__(self, made: Any, kind: Any = None) -> Any:
        return self if made is None else MethodType(self, made)

    @property  # type: ignore[misc]  # nobody sets it
    def __class__(self) -> type:
        """What `isinstance` asks for, and `inspect.isfunction` by it."""
        return FunctionType

    __doc__ = Called.__dict__["__doc__"]
    __module__ = Called.__dict__["__module__"]


class Member(Function):
    """Stands for a method of a class, told of by its name.

    Args:
        cid: the number of the class.
        name: of the method.
        kind: `f`, or `c` of a class method, `s` of a static one: Python's own wrappers would ask for all attributes.
        call: takes the arguments.
    """

    __slots__ = ("_refute_call_", "_refute_kind_", "_refute_name_", "_refute_of_")
    _refute_root_ = True

    def __init__(self, cid: int, name: str, kind: str, call: Callable[..., Any]) -> None:
        for slot, value in (("of", cid), ("name", name), ("kind", kind), ("call", call)):
            object.__setattr__(self, f"_refute_{slot}_", value)

    def __get__(self, made: Any, kind: Any = None) -> Any:
        owner = {"f": made, "c": kind}.get(self._refute_kind_)
        return self if owner is None else MethodType(self, owner)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call it, there."""
        __tracebackhide__ = True
        return self._refute_call_(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "__isabstractmethod__":  # whoever makes a class looks; which are abstract is told with that
            raise AttributeError(name)
        return self._refute_name_ if name == "__name__" else super().__getattr__(name)

    __doc__ = Called.__dict__["__doc__"]
    __module__ = Called.__dict__["__module__"]
