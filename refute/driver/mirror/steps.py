"""Generators and coroutines of the other process as real ones, whose bodies run there."""

from typing import Any


def as_generator(proxy: Any, objects: Any, oid: int) -> Any:
    """A real generator, so that it is one to every question; its body runs there."""

    def generator() -> Any:
        return (yield from _Steps(proxy))

    made = generator()
    objects.remember(oid, made)
    objects.also(oid, proxy)
    return made


class _Steps:
    """Steps of a generator over there; iterating over it is iterating over itself."""

    def __init__(self, proxy: Any) -> None:
        self._proxy = proxy
        self.send, self.throw, self.close = proxy.send, proxy.throw, proxy.close

    def __iter__(self) -> "_Steps":
        return self

    def __next__(self) -> Any:
        return self._proxy.__next__()


def as_coroutine(proxy: Any, objects: Any, oid: int) -> Any:
    """A real coroutine, whose body runs there."""

    async def coroutine() -> Any:
        return await objects.link.later("awaited", proxy)

    made = coroutine()
    objects.remember(oid, made)
    objects.also(oid, proxy)
    return made
