"""Coroutines of the other process as real ones, whose bodies run there."""

from typing import Any


def as_coroutine(proxy: Any, objects: Any, oid: int) -> Any:
    """A real coroutine, whose body runs there."""

    async def coroutine() -> Any:
        return await objects.link.later("awaited", proxy)

    made = coroutine()
    objects.remember(oid, made)
    objects.also(oid, proxy)
    return made
