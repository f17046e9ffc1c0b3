"""A limit on a whole request, however slowly its bytes come.

httpx's time-out is one for each read: an answer that comes a byte at a time, headers included, never runs into it. Here
no read, write or connect of a client lasts longer than what is left of the time that its thread has given itself.

Sources: https://www.python-httpx.org/advanced/timeouts/, https://www.encode.io/httpcore/network-backends/, 2026-11-22.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any, Final

import httpcore2
import httpx2

_ENDS: Final[ContextVar[float | None]] = ContextVar("ends", default=None)
"""By the monotonic clock; None: nothing is limited."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What this thread does with a `punctual` client takes so long at most, else it raises one of its time-outs."""
    token = _ENDS.set(monotonic() + seconds)
    try:
        yield
    finally:
        _ENDS.reset(token)


def punctual(client: httpx2.Client) -> httpx2.Client:
    """Have a client, and the proxies that it goes through, keep to `within`.

    The library takes a network backend only in a pool of its own making, which would lose the environment's proxies.
    """
    for transport in (client._transport, *client._mounts.values()):  # noqa: SLF001  # there is no public way
        pool: Any = getattr(transport, "_pool", None)
        if pool is not None:
            pool._network_backend = Punctual(pool._network_backend)  # noqa: SLF001
    return client


def _left(timeout_s: float | None, late: type[Exception]) -> float | None:
    ends = _ENDS.get()
    if ends is None:
        return timeout_s
    left_s = ends - monotonic()
    if left_s <= 0:
        raise late("the whole request took too long")
    return left_s if timeout_s is None else min(left_s, timeout_s)


class Punctual(httpcore2.NetworkBackend):
    """A network backend whose connections keep to `within`."""

    def __init__(self, backend: httpcore2.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect in what is left of the time."""
        left_s = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._backend.connect_tcp(host, port, left_s, local_address, socket_options))


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left_s = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left_s))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
