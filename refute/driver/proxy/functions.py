"""Functions of the other process: called there; what code reads of one is asked for when it is read."""

import functools
from types import FunctionType, MethodType
from typing import Any, Final

from refute.driver.known import COMPUTING, is_of_testing, standing
from refute.driver.proxy.describing import shown_attribute
from refute.driver.proxy.roots import ASKED_DICT, Current, Proxy, ProxyMeta

SHAPED: Final = frozenset({"__code__", "__defaults__", "__kwdefaults__", "__annotations__", "__signature__"})
"""What is told of a function all at once."""
EQUALITY: Final = frozenset({"__eq__", "__ne__"})


class Called(Proxy):
    """Stands for something that can be called."""

    __slots__ = ("__weakref__", "_refute_shape_")
    _refute_root_ = True

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call it, there."""
        __tracebackhide__ = True
        return Current.link.request("call", self, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        __tracebackhide__ = True
        if name == "_refute_shape_":
            object.__setattr__(self, name, Current.link.request("shape", self))
            return self._refute_shape_
        if name == "__globals__":  # where `get_type_hints` looks for names
            return {}
        if name == "__closure__":  # which is asked for by who copies a function
            Current.link.cannot("needs the implementation in the test's process: copies a function")
        if name in SHAPED:
            return shown_attribute(self._refute_shape_, name)
        return super().__getattr__(name)

    def __del__(self) -> None:
        Current.link.dies(self)

    __copy__ = __deepcopy__ = lambda self, *_: self
    __doc__ = property(lambda self: self.__getattr__("__doc__"))
    __module__ = property(lambda self: self.__getattr__("__module__"))
    __dict__ = ASKED_DICT


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
    """Stands for a method of a class, told of by its name."""

    __slots__ = ("_refute_judging_", "_refute_kind_", "_refute_name_", "_refute_of_")
    _refute_root_ = True

    def __init__(self, cid: int, name: str, kind: str, *, judging: bool) -> None:
        for slot, value in (("of", cid), ("name", name), ("kind", kind), ("judging", judging)):
            object.__setattr__(self, f"_refute_{slot}_", value)

    def __get__(self, made: Any, kind: Any = None) -> Any:
        owner = {"f": made, "c": kind}.get(self._refute_kind_)
        return self if owner is None else MethodType(self, owner)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call it, there."""
        __tracebackhide__ = True
        bound_to = (None,) if self._refute_kind_ == "s" else ()
        return ask("member", self._refute_judging_, self._refute_of_, self._refute_name_, *bound_to, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "__isabstractmethod__":  # whoever makes a class looks; which are abstract is told with that
            raise AttributeError(name)
        return self._refute_name_ if name == "__name__" else super().__getattr__(name)

    __doc__ = Called.__dict__["__doc__"]
    __module__ = Called.__dict__["__module__"]


def made_member(cid: int, name: str, kind: str, *, judging: bool) -> Any:
    """A member of a proxy class, which asks the other process.

    Args:
        cid: the number of the class.
        name: of the member.
        kind: `f` function, `c` class method, `s` static method, `n` None, `p` property with what it says of itself.
        judging: whether its result decides what an object is, so that a test that rests on it is not attested.
    """
    if kind == "n":
        return None
    if kind[0] == "p":
        return property(functools.partial(ask, "member_get", judging, cid, name), doc=kind[1:] or None)
    function = Member(cid, name, kind, judging=judging)
    return _stepping(function) if name == "__anext__" else function


def _stepping(function: Any) -> Any:
    """`__anext__`; of what is no coroutine `anext(it, default)` takes the first step again and again (CPython 3.11)."""

    async def step(self: Any) -> Any:
        __tracebackhide__ = True
        return await function(self)

    return step


def ask(operation: str, judging: bool, cid: int, name: str, /, *args: Any, **kwargs: Any) -> Any:  # noqa: FBT001  # see `made_member`
    """Have the other process use a member of a class, and note where it decides."""
    __tracebackhide__ = True
    if name in EQUALITY and any(_is_of_the_test_library(type(one)) for one in args[1:]):
        return NotImplemented  # `pytest.approx(1.5)` compares by itself, on this side
    if judging:
        Current.link.judged()
    answer = Current.link.request(operation, cid, name, *args, **kwargs)
    if name in COMPUTING:
        parts = answer if isinstance(answer, tuple) else (answer,)  # of divmod
        if not any(isinstance(one, Proxy | ProxyMeta) for one in (*parts, *args[1:])):
            Current.link.judged()
    return answer


def _is_of_the_test_library(kind: type) -> bool:
    """Whether the library itself has a class; what the other side tells of a class may only say so."""
    return is_of_testing(kind) and standing(kind.__module__, kind.__qualname__) is kind
