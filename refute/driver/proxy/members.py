"""Methods and properties of mirrored classes."""

import functools
from operator import itemgetter
from types import CoroutineType
from typing import Any, Final

from refute.driver.proxy.current import Current
from refute.driver.proxy.functions import stand_in
from refute.driver.proxy.proxied import Proxy
from refute.driver.proxy.roots import ProxyMeta

Description = dict[str, Any]
_OPERATORS: Final = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
COMPUTING: Final = frozenset(f"__{prefix}{name}__" for prefix in ("", "r", "i") for name in _OPERATORS)
"""Operators that are told the other operand. Where that is plain, and the answer is, they decide as a comparison does:
`abs(f() - 5) < 1` holds for whatever answers 0."""


def made_member(cid: int, name: str, member: list[Any], *, judging: bool) -> Any:
    """A member of a mirrored class, which asks the other process.

    Args:
        cid: the number of the class.
        name: of the member.
        member: what is told of it.
        judging: whether its result decides what an object is, so that a test that rests on it is not attested.
    """
    kind = member[0]
    if kind == "n":
        return None
    if kind == "p":
        return property(
            functools.partial(ask, "judge_get" if judging else "member_get", cid, name),
            functools.partial(ask, "member_set", cid, name),
            functools.partial(ask, "member_del", cid, name),
            member[1],
        )
    operation = "judge" if judging else "member"
    call = functools.partial(ask, operation, cid, name)
    later = functools.partial(_ask_later, cid, name)
    function = stand_in(member[1], call, later)
    if name == "__set_name__":
        return _naming(function)
    if name == "__anext__":
        return _stepping(function)
    if kind == "c":
        return classmethod(function)
    return staticmethod(functools.partial(function, None)) if kind == "s" else function


def _naming(function: Any) -> Any:
    """`__set_name__`; a class derived from one of the other side is made there too, and names its members there."""

    def set_name(self: Any, owner: type, name: str) -> None:
        if not isinstance(owner, ProxyMeta):
            function(self, owner, name)

    return set_name


def _stepping(function: Any) -> Any:
    """`__anext__`; of what is no coroutine `anext(it, default)` takes the first step again and again (CPython 3.11)."""

    async def waited_for(answer: Any) -> Any:
        __tracebackhide__ = True
        return await answer

    @functools.wraps(function)
    def step(self: Any) -> Any:
        __tracebackhide__ = True
        answer = function(self)
        return answer if isinstance(answer, CoroutineType) else waited_for(answer)

    return step


def ask(operation: str, cid: int, name: str, /, *args: Any, **kwargs: Any) -> Any:
    """Have the other process use a member of a class; `judge…` notes that it decides."""
    __tracebackhide__ = True
    if operation.startswith("judge"):
        Current.link.judged()
        operation = operation.replace("judge", "member")
    answer = Current.link.request(operation, cid, name, *args, **kwargs)
    if name in COMPUTING:
        parts = answer if isinstance(answer, tuple) else (answer,)  # of divmod
        if not any(isinstance(one, Proxy | ProxyMeta) for one in (*parts, *args[1:])):
            Current.link.judged()
    return answer


async def _ask_later(cid: int, name: str, /, *args: Any, **kwargs: Any) -> Any:
    __tracebackhide__ = True
    return await Current.link.later("member", cid, name, *args, **kwargs)  # type: ignore[attr-defined]


def name_parts(namespace: dict[str, Any], told: Description) -> None:
    """The attributes of a named tuple read its items here."""
    names = told.get("tuple")
    if names:
        namespace["_fields"] = namespace["__match_args__"] = tuple(names)
        for place, name in enumerate(names):
            namespace[str(name)] = property(itemgetter(place))
