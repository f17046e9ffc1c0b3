"""Fetching: only from the addresses that were checked, every redirect checked anew, within every limit."""

import gzip
import itertools
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import pytest

from refute.guardrails.transport import FetchLimits, Page, PinnedBackend, fetch
from refute.guardrails.urls import FetchFailed, PinnedUrl, UrlDenied, check_url
from tests.fakes.tls import self_signed
from tests.fakes.web import Handler, serving

LIMITS = FetchLimits(time_s=60, transferred_bytes=50_000, page_bytes=200_000, redirects=3)
HOST = "shop.example.org"


PACKED = {"content_encoding": "gzip"}
ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/page": (200, {"content_type": "Text/HTML; charset=ISO-8859-1"}, b"<p>h\xe4llo"),
    "/packed": (200, PACKED, gzip.compress(b"<p>hello")),
    "/bomb": (200, PACKED, gzip.compress(b"0" * 10_000_000)),
    "/cut": (200, PACKED, gzip.compress(b"<p>hello")[:-4]),
    "/garbled": (200, PACKED, b"<p>hello"),
    "/brotli": (200, {"content_encoding": "br"}, b"?"),
    "/image": (200, {"content_type": "image/gif"}, b"GIF89a"),
    "/untyped": (200, {"content_type": ""}, b"?"),
    "/missing": (404, {}, b"no"),
    "/large": (200, {}, b"x" * 60_000),
}
REDIRECTS = {
    "/there": "/page",
    "/private": "http://10.0.0.1:{port}/",
    "/rebound": f"http://{HOST}:{{port}}/secret",
    "/file": "file:///etc/passwd",
    "/loop": "/loop",
    "/broken": "http://[",
}


class Site(Handler, BaseHTTPRequestHandler):
    """Answers by path; every request is written down."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append((self.headers["Host"], self.path))  # type: ignore[attr-defined]
        port = self.server.server_port  # type: ignore[attr-defined]
        if self.path in ANSWERS:
            status, headers, body = ANSWERS[self.path]
            self.send(status, body, **{"content_type": "text/html", **headers})
        elif self.path in REDIRECTS:
            self.send(302, location=REDIRECTS[self.path].format(port=port), set_cookie="a=b")
        elif self.path[1:].isdigit():
            self.send(302, location=f"/{int(self.path[1:]) + 1}")
        else:  # an answer without an end; where it comes a byte at a time, no single read takes long
            part, pause_s = (b"x" * 8_192, 0.0) if self.path == "/endless" else (b".", 0.05)
            self.send(200, content_type="text/plain", content_length="")
            self.drip(itertools.repeat(part), lambda: self.server.stopped.wait(pause_s))  # type: ignore[attr-defined]


class Server(ThreadingHTTPServer):
    """Of one address; writes down what it is asked."""

    daemon_threads = True

    def __init__(self, address: str, port: int = 0) -> None:
        super().__init__((address, port), Site)
        self.asked: list[tuple[str, str]] = []
        self.stopped = threading.Event()


@contextmanager
def site_on(address: str = "127.0.0.1", port: int = 0) -> Iterator[Server]:
    with serving(Server(address, port)) as server:
        yield server
        server.stopped.set()


@pytest.fixture(scope="module")
def site() -> Iterator[Server]:
    with site_on() as server:
        yield server


def only_this_address(address: IPv4Address | IPv6Address) -> str | None:
    return None if str(address) == "127.0.0.1" else "another address"


def checking(site: Server) -> "partial[PinnedUrl]":
    """Of this site's port, on this machine."""
    to = {"allowed_ports": (site.server_port,), "resolve": lambda _host, _port: ("127.0.0.1",)}
    return partial(check_url, address_policy=only_this_address, **to)


def get(site: Server, path: str, limits: FetchLimits = LIMITS) -> Page:
    return fetch(f"http://{HOST}:{site.server_port}{path}", check=checking(site), limits=limits)


def failure(site: Server, path: str, limits: FetchLimits = LIMITS) -> str:
    with pytest.raises(FetchFailed) as failed:
        get(site, path, limits)
    return failed.value.reason


def test_a_page_comes_with_where_it_was_found_and_what_it_says_it_is(site: Server) -> None:
    page = get(site, "/page")
    assert page.url == f"http://{HOST}:{site.server_port}/page"
    assert (page.content_type, page.charset, page.body) == ("text/html", "iso-8859-1", b"<p>h\xe4llo")


def test_a_redirect_is_followed_and_told(site: Server) -> None:
    assert get(site, "/there").url.endswith("/page")


@pytest.mark.parametrize(("path", "why"), [("/private", "another address"), ("/file", "scheme file")])
def test_a_redirect_to_what_is_denied_is_not_followed(site: Server, path: str, why: str) -> None:
    with pytest.raises(UrlDenied, match=why):
        get(site, path)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/bomb", "larger than 200000 bytes when unpacked"),
        ("/cut", "ends too early"),
        ("/garbled", "incorrect header check"),
        ("/brotli", "content encoding br, expected gzip"),
        ("/image", "image/gif, expected text/html"),
        ("/untyped", "content type missing, expected text/html"),
        ("/missing", "answered 404"),
        ("/large", "larger than 50000 bytes"),
        ("/endless", "larger than 50000 bytes"),
        ("/loop", "redirects in a loop"),
        ("/1", "more than 3 redirects"),
        ("/broken", "redirects to an invalid URL"),
    ],
)
def test_what_is_no_page_within_the_limits_fails_with_its_reason(site: Server, path: str, why: str) -> None:
    assert why in failure(site, path)


def test_a_server_that_answers_a_byte_at_a_time_is_given_up_in_time(site: Server) -> None:
    began = time.monotonic()
    assert "within 0.3 s" in failure(site, "/slow", replace(LIMITS, time_s=0.3))
    assert time.monotonic() - began < 2


def test_a_server_that_does_not_answer_fails() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        pinned = PinnedUrl(url="http://h.example/", scheme="http", host="h.example", port=unused.getsockname()[1],
                           addresses=("127.0.0.1",))  # fmt: skip
        with pytest.raises(FetchFailed, match="refused"):
            fetch("http://h.example/", check=lambda _url: pinned, limits=LIMITS)


@pytest.mark.parametrize(("name", "trusted"), [(HOST, True), ("other.example.org", False)])
def test_tls_is_verified_by_the_name_and_not_by_the_address(tmp_path: Path, name: str, *, trusted: bool) -> None:
    pem = tmp_path / "server.pem"
    pem.write_bytes(b"".join(self_signed(name)))
    ours, theirs = ssl.create_default_context(cafile=pem), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.load_cert_chain(pem)
    with site_on() as server:
        server.socket = theirs.wrap_socket(server.socket, server_side=True)
        with nullcontext() if trusted else pytest.raises(FetchFailed, match="certificate"):
            url = f"https://{HOST}:{server.server_port}/page"
            assert fetch(url, check=checking(server), limits=LIMITS, tls=ours).body


def test_no_proxy_of_the_environment_is_used(site: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert get(site, "/page").body


def test_a_connection_to_what_was_not_checked_is_refused() -> None:
    pinned = PinnedUrl(url="http://h.example/", scheme="http", host="h.example", port=80, addresses=("127.0.0.1",))
    with pytest.raises(UrlDenied, match=r"other\.example:80, which was not checked"):
        PinnedBackend(pinned).connect_tcp("other.example", 80)


def rebinding(site: Server, *addresses: str) -> "tuple[list[str], partial[PinnedUrl]]":
    """A check that asks a name server which answers differently each time; what it would answer next."""
    left = list(addresses)
    return left, partial(checking(site), resolve=lambda _host, _port: [left.pop(0)])


def test_a_name_that_resolves_differently_a_moment_later_gains_nothing() -> None:
    with site_on() as public, site_on("127.0.0.2", public.server_port) as internal:
        left, check = rebinding(public, "127.0.0.1", "127.0.0.2")
        assert fetch(f"http://{HOST}:{public.server_port}/page", check=check, limits=LIMITS).body
        assert left == ["127.0.0.2"]  # asked once: what it would say next is never heard
        assert len(public.asked) == 1
        assert internal.asked == []


def test_a_name_that_is_rebound_between_two_hops_is_denied_at_the_second() -> None:
    with site_on() as public, site_on("127.0.0.2", public.server_port) as internal:
        url = f"http://{HOST}:{public.server_port}/rebound"
        with pytest.raises(UrlDenied, match="another address"):
            fetch(url, check=rebinding(public, "127.0.0.1", "127.0.0.2")[1], limits=LIMITS)
        assert internal.asked == []
