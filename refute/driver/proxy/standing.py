"""Python's own classes behind their mirrored ones, so that `issubclass` and type checks of libraries see them."""

from typing import Any, Final

from refute.driver.proxy.current import JUDGING, Current
from refute.driver.proxy.describing import SKIPPED
from refute.driver.proxy.members import ask
from refute.driver.proxy.proxied import Proxy

BEHIND: Final = frozenset(
    {
        "threading", "logging", "json", "ast", "argparse", "html", "collections", "string", "contextlib", "random",
        "queue", "cmd", "configparser", "concurrent", "sched", "csv", "email", "datetime", "asyncio", "http",
        "socketserver", "urllib", "optparse", "textwrap", "reprlib", "pprint", "graphlib", "shlex", "gettext", "types",
    }
)  # fmt: skip
"""Modules whose classes may stand behind a mirrored one; none of them acts when a class derives from one of its."""


NAMESPACES: Final = frozenset({"types.SimpleNamespace", "argparse.Namespace"})
"""Classes whose objects are equal where their attributes are: C code would compare those of the empty objects here."""


def may_stand_behind(real: type) -> bool:
    """Whether a mirrored class may derive from one of Python's own: nothing happens when an empty object of it dies."""
    if real.__module__.partition(".")[0].lstrip("_") not in BEHIND or type(real).__module__ not in {"builtins", "abc"}:
        return False
    return not any("__del__" in vars(base) or "__init_subclass__" in vars(base) for base in real.__mro__[:-1])


def cover(namespace: dict[str, Any], real: type, cid: int) -> None:
    """Let no member of Python's own class act on the empty object here, whether it was told of or not."""
    if f"{real.__module__}.{real.__qualname__}" in NAMESPACES:
        namespace |= {"__eq__": _equal_parts, "__ne__": object.__ne__}
    for name in {name for base in real.__mro__[:-1] for name in vars(base)} - set(namespace):
        if name in SKIPPED or name in vars(Proxy) or name.startswith("_abc_"):
            continue
        if name.startswith("__"):
            namespace[name] = _special(cid, name)
        else:
            namespace[name] = Covered(real, name)


def _equal_parts(self: Any, other: Any) -> Any:
    """Whether two namespaces have the same attributes; compared here, where nobody can lie about the result."""
    return vars(self) == vars(other) if isinstance(other, self.__class__) else NotImplemented


def _special(cid: int, name: str) -> Any:
    operation = "judge" if name in JUDGING else "member"

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return ask(operation, cid, name, self, *args, **kwargs)

    return method


class Covered:
    """An attribute of Python's own class: an object's is over there, the class has what it has.

    Args:
        real: Python's own class.
        name: of the attribute.
    """

    def __init__(self, real: type, name: str) -> None:
        self._real = real
        self._name = name

    def __get__(self, made: Any, kind: type) -> Any:
        return getattr(self._real, self._name) if made is None else Current.link.request("get", made, self._name)

    def __set__(self, made: Any, value: Any) -> None:
        Current.link.request("set", made, self._name, value)
