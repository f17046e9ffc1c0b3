"""Fetches a URL from the addresses that were checked, and follows its redirects by checking each anew.

No proxy and no credentials of the environment, no cookies, no connection for more than one request. Every limit is
kept while bytes arrive, so an endless, slow or packed answer costs what the limits say and no more.
"""

import ssl
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from email.message import Message
from typing import Any, Final

import httpcore2

from refute.deadline import Punctual, within
from refute.guardrails.plain_text import printable
from refute.guardrails.urls import FetchBusy, FetchFailed, PinnedUrl, UrlDenied, check_url

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
USER_AGENT: Final = "refute"
OK: Final = range(200, 300)
BUSY: Final = frozenset({429, 502, 503, 504})


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """What one fetch may cost, all redirects included."""

    time_s: float = 20.0
    transferred_bytes: int = 2_000_000
    page_bytes: int = 5_000_000
    """After unpacking."""
    redirects: int = 5
    content_types: tuple[str, ...] = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown")


DEFAULT_LIMITS: Final = FetchLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a URL gave."""

    url: str
    """Where it was found, after all redirects."""
    content_type: str
    """Without parameters, lower case."""
    charset: str | None
    """As declared."""
    body: bytes
    transferred_bytes: int


def fetch(
    url: str,
    *,
    check: Callable[[str], PinnedUrl] = check_url,
    limits: FetchLimits = DEFAULT_LIMITS,
    tls: ssl.SSLContext | None = None,
) -> Page:
    """Fetch one page.

    Args:
        url: anything.
        check: decides on it and on every redirect: `check_url`, with what it is to allow.
        limits: for all hops together.
        tls: what certificates are trusted; None: the system's.

    Raises:
        UrlDenied: it, or where it redirects to, must not be fetched.
        FetchFailed: it gave no page within the limits.
    """
    asked: list[str] = []
    with within(limits.time_s):
        while True:
            pinned = check(url)
            if pinned.url in asked:
                raise FetchFailed(pinned.url, "redirects in a loop")
            if len(asked) > limits.redirects:
                raise FetchFailed(pinned.url, f"more than {limits.redirects} redirects")
            asked.append(pinned.url)
            answer = _ask(pinned, limits, tls)
            if isinstance(answer, Page):
                return answer
            url = answer


class PinnedBackend(httpcore2.NetworkBackend):
    """Connects to the addresses that were checked; what a name resolves to by now is never asked."""

    def __init__(self, pinned: PinnedUrl) -> None:
        self._pinned = pinned
        self._backend = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to the first address that answers.

        Raises:
            UrlDenied: another host or port is asked for than was checked.
            httpcore2.ConnectError, httpcore2.ConnectTimeout: none answers.
        """
        if (host, port) != (self._pinned.host, self._pinned.port):
            raise UrlDenied(self._pinned.url, f"connects to {host}:{port}, which was not checked")
        failed: Exception = httpcore2.ConnectError("no address")
        for address in self._pinned.addresses:
            try:
                return self._backend.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
        raise failed


def _ask(pinned: PinnedUrl, limits: FetchLimits, tls: ssl.SSLContext | None) -> Page | str:
    """What a URL answers: a page, or where it redirects to."""
    authority, _, path = pinned.url.partition("://")[2].partition("/")
    url = httpcore2.URL(scheme=pinned.scheme, host=pinned.host, port=pinned.port, target=f"/{path}")
    accepted = {"Accept": ", ".join(limits.content_types), "Accept-Encoding": "gzip"}
    headers = tuple({"Host": authority, "User-Agent": USER_AGENT, **accepted, "Connection": "close"}.items())
    backend = Punctual(PinnedBackend(pinned))
    pool = httpcore2.ConnectionPool(ssl_context=tls, network_backend=backend)  # one per hop: nothing is reused
    extensions = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), limits.time_s)}
    try:
        with pool, pool.stream("GET", url, headers=headers, extensions=extensions) as response:
            sent = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            if response.status in REDIRECTS and "location" in sent:
                return _joined(pinned.url, sent["location"])
            if response.status not in OK:
                fault = FetchBusy if response.status in BUSY else FetchFailed
                raise fault(pinned.url, f"answered {response.status}")
            kind, charset = _content_type(pinned.url, sent, limits)
            body, size = _body(pinned.url, response.iter_stream(), sent.get("content-encoding", ""), limits)
    except httpcore2.TimeoutException as error:
        raise FetchFailed(pinned.url, f"no whole answer within {limits.time_s:g} s") from error
    except httpcore2.NetworkError as error:
        raise FetchBusy(pinned.url, printable(str(error), max_chars=200)) from error
    except (httpcore2.ProtocolError, ssl.SSLError, zlib.error) as error:
        raise FetchFailed(pinned.url, printable(str(error), max_chars=200) or type(error).__name__) from error
    return Page(url=pinned.url, content_type=kind, charset=charset, body=body, transferred_bytes=size)


def _joined(base: str, location: str) -> str:
    import ada_url  # noqa: PLC0415  # as in urls

    try:
        return str(ada_url.join_url(base, location))
    except ValueError as error:
        raise FetchFailed(base, f"redirects to an invalid URL: {printable(location, max_chars=100)}") from error


def _content_type(url: str, headers: dict[str, str], limits: FetchLimits) -> tuple[str, str | None]:
    message = Message()
    message["content-type"] = headers.get("content-type", "")
    declared = message.get_content_type() if headers.get("content-type") else "missing"
    if declared not in limits.content_types:
        raise FetchFailed(
            url, f"content type {printable(declared, max_chars=60)}, expected {', '.join(limits.content_types)}"
        )
    return declared, message.get_content_charset()


def _body(url: str, chunks: Iterator[bytes], encoding: str, limits: FetchLimits) -> tuple[bytes, int]:
    """The unpacked body and how many bytes were transferred for it."""
    encoding = encoding.strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip"}:
        raise FetchFailed(url, f"content encoding {printable(encoding, max_chars=40)}, expected gzip or none")
    unpacker = zlib.decompressobj(wbits=31) if "gzip" in encoding else None
    body = bytearray()
    transferred = 0
    for chunk in chunks:
        transferred += len(chunk)
        if transferred > limits.transferred_bytes:
            raise FetchFailed(url, f"larger than {limits.transferred_bytes} bytes")
        body += unpacker.decompress(chunk, limits.page_bytes + 1) if unpacker else chunk
        if len(body) > limits.page_bytes:
            raise FetchFailed(url, f"larger than {limits.page_bytes} bytes when unpacked")
    if unpacker and not unpacker.eof:
        raise FetchFailed(url, "its packed content ends too early")
    return bytes(body), transferred
