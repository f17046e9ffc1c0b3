"""Generators and coroutines of the other process as real ones, whose bodies run there."""

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any


def as_generator(proxy: Any, objects: Any, oid: int, *, begun: bool) -> Any:
    """A real generator, so that it is one to every question; its body runs there.

    Args:
        proxy: stands for the generator over there.
        objects: keep what stands for what.
        oid: its number.
        begun: whether it has left its beginning, so that this one has, too.
    """
    holder: list[weakref.ref[Any]] = []
    made = _steps(proxy, lambda: holder[0]() is not None, begun=begun)
    holder.append(weakref.ref(made))
    if begun:
        next(made)
    objects.remember(oid, made)
    objects.also(oid, proxy)
    return made


def _steps(proxy: Any, held: Callable[[], bool], *, begun: bool) -> Any:
    """As `yield from`, but a stand-in that nobody holds any more closes nothing: others may hold the real one."""
    step: Callable[[], Any] = (lambda: None) if begun else proxy.__next__
    while True:
        try:
            value = step()
        except StopIteration as end:
            return end.value
        try:
            sent = yield value
        except GeneratorExit:
            if held():  # a weak reference is dead before the generator that is collected is closed
                proxy.close()
            raise
        except BaseException as error:
            step = partial(proxy.throw, error)
        else:
            step = proxy.__next__ if sent is None else partial(proxy.send, sent)


def as_coroutine(proxy: Any, objects: Any, oid: int) -> Any:
    """A real coroutine, whose body runs there."""

    async def coroutine() -> Any:
        return await objects.link.later("awaited", proxy)

    made = coroutine()
    objects.remember(oid, made)
    objects.also(oid, proxy)
    return made
