"""Methods and properties of mirrored classes."""

import functools
from typing import Any

from refute.driver.proxy.current import COMPUTING, Current
from refute.driver.proxy.functions import Member
from refute.driver.proxy.proxied import Proxy
from refute.driver.proxy.roots import ProxyMeta


def made_member(cid: int, name: str, kind: str, *, judging: bool) -> Any:
    """A member of a mirrored class, which asks the other process.

    Args:
        cid: the number of the class.
        name: of the member.
        kind: `f` function, `c` class method, `s` static method, `n` None, `p` property with what it says of itself.
        judging: whether its result decides what an object is, so that a test that rests on it is not attested.
    """
    if kind == "n":
        return None
    if kind[0] == "p":
        get = functools.partial(ask, "judge_get" if judging else "member_get", cid, name)
        change, delete = (functools.partial(ask, f"member_{how}", cid, name) for how in ("set", "del"))
        return property(get, change, delete, kind[1:] or None)
    if name == "__set_name__":
        return _naming(functools.partial(ask, "member", cid, name))
    bound_to = (None,) if kind == "s" else ()
    function = Member(cid, name, kind, functools.partial(ask, "judge" if judging else "member", cid, name, *bound_to))
    return _stepping(function) if name == "__anext__" else function


def _stepping(function: Any) -> Any:
    """`__anext__`; of what is no coroutine `anext(it, default)` takes the first step again and again (CPython 3.11)."""

    async def step(self: Any) -> Any:
        __tracebackhide__ = True
        return await function(self)

    return step


def _naming(function: Any) -> Any:
    """`__set_name__`; a class derived from one of the other side is made there too, and names its members there."""

    def set_name(self: Any, owner: type, name: str) -> None:
        if not isinstance(owner, ProxyMeta):
            function(self, owner, name)

    return set_name


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
