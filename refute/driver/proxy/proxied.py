"""What every mirrored object has: what is not a member of its class goes to the other process."""

from functools import partial
from typing import Any

from refute.driver.proxy.roots import Current, ProxyMeta, as_written, refuse_marks


class _Copied:
    """`__copy__` as `copy.copy` looks for it, in the class; an object has one where the other side says so.

    `itertools.tee` copies what has one and else iterates, which is what it has to do with most iterators.
    """

    def __get__(self, made: Any, kind: type) -> Any:
        if made is not None:
            raise AttributeError("__copy__")  # `__getattr__` is asked next, and asks over there
        return partial(Current.link.request, "copy")


class Proxy:
    """What every mirrored object has, of whatever built-in type it may be besides."""

    __slots__ = ()
    _refute_root_ = True

    def __getattr__(self, name: str) -> Any:
        __tracebackhide__ = True
        refuse_marks(name)
        return as_written(type(self), name, Current.link.request("get", self, name))

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

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        Current.link.request("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        __tracebackhide__ = True
        Current.link.request("del", self, name)

    def __del__(self) -> None:
        Current.link.dies(self)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        found: dict[str, Any] = Current.link.request("vars", self)
        return found
