"""The egress proxy, in this process, between real sockets on loopback."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from refute.errors import UsageError
from refute.sandbox import network_proxy
from refute.sandbox.network_hosts import own_addresses, read_hosts
from refute.sandbox.network_proxy import Policy, Refused, pump, read_target, serve


class LoopbackPolicy(Policy):
    """Takes loopback for the internet, so that a test needs none."""

    def check_address(self, text: str) -> None:
        """Permit all."""


def policy(*allowed: list[Any], networks: tuple[str, ...] = (), denied: tuple[str, ...] = ()) -> Policy:
    return Policy(list(allowed), list(networks), list(denied), "127.0.0.0/8")


def exchange(asked: Callable[[int], bytes], *, clients: str = "127.0.0.0/8") -> tuple[bytes, list[bytes]]:
    """What a client of the proxy gets for a request, and what the server behind it saw."""
    seen: list[bytes] = []

    async def far(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()
        writer.close()

    async def talk() -> bytes:
        server = await asyncio.start_server(far, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        rules = LoopbackPolicy([["127.0.0.1", port]], [], [], clients)
        proxy = await asyncio.start_server(lambda r, w: serve(rules, r, w), "127.0.0.1", 0)
        async with server, proxy:
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.sockets[0].getsockname()[1])
            writer.write(asked(port))
            answer = b""
            with contextlib.suppress(ConnectionResetError):  # how a connection ends whose request nobody read
                answer = await asyncio.wait_for(reader.read(), 30)
            writer.close()
            return answer

    return asyncio.run(talk()), seen


def test_a_tunnel_to_an_allowed_host_carries_bytes_both_ways():
    answer, seen = exchange(lambda port: f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK")
    assert seen == [b"GET / HTTP/1.1\r\n\r\n"]


def test_a_plain_request_goes_on_with_the_host_that_was_checked():
    head = "GET http://127.0.0.1:{}/a?b HTTP/1.1\r\nHost: other.example\r\nProxy-Connection: keep-alive\r\nX: y\r\n\r\n"
    answer, (seen,) = exchange(lambda port: head.format(port).encode())
    assert answer.endswith(b"ok")
    assert seen.startswith(b"GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:")
    assert b"other.example" not in seen
    assert b"X: y\r\nConnection: close\r\n" in seen


@pytest.mark.parametrize("request_line", ["CONNECT a.example:443", "GET http://a.example/", "CONNECT 127.0.0.1:1"])
def test_another_host_or_port_is_refused_in_words(request_line: str):
    answer, seen = exchange(lambda _: f"{request_line} HTTP/1.1\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 403 Forbidden")
    assert b"not among the hosts of --allow-network" in answer
    assert seen == []


@pytest.mark.parametrize("request_line", ["GET /a", "GET ftp://a.example/", "CONNECT :443", "CONNECT a:x", "x"])
def test_what_is_no_request_for_a_proxy_is_refused(request_line: str):
    answer, _ = exchange(lambda _: f"{request_line} HTTP/1.1\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 400 Bad Request")


def test_a_head_without_end_is_dropped():
    answer, _ = exchange(lambda _: b"GET http://a.example/" + b"a" * 200_000)
    assert answer == b""


def test_nobody_else_s_connections_are_served():
    answer, seen = exchange(lambda port: f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode(), clients="10.0.0.0/8")
    assert (answer, seen) == (b"", [])


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "::1", "0.0.0.0", "10.1.2.3", "172.17.0.1", "192.168.1.1", "100.64.0.1",  # noqa: S104
        "169.254.169.254", "224.0.0.1",
        "fe80::1", "fd00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "ff02::1", "198.51.100.7",
    ],
)  # fmt: skip
def test_an_address_that_is_not_on_the_internet_is_refused(address: str):
    with pytest.raises(Refused):
        policy().check_address(address)


def test_a_public_address_is_permitted_unless_it_is_ours():
    policy().check_address("93.184.215.14")
    with pytest.raises(Refused, match="belongs to this machine"):
        policy(denied=("93.184.215.14",)).check_address("93.184.215.14")


def test_a_private_network_is_permitted_by_name_and_never_loopback_or_metadata():
    named = policy(networks=("10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16"), denied=("10.0.0.1",))
    named.check_address("10.1.2.3")
    for address in ("127.0.0.1", "169.254.169.254", "10.0.0.1", "192.168.0.1"):
        with pytest.raises(Refused):
            named.check_address(address)


def test_one_forbidden_address_among_several_refuses_the_name(monkeypatch):
    async def lookup() -> None:
        loop = asyncio.get_running_loop()

        async def getaddrinfo(*_: Any, **__: Any) -> list[Any]:
            return [(2, 1, 6, "", ("93.184.215.14", 443)), (2, 1, 6, "", ("127.0.0.1", 443))]

        monkeypatch.setattr(loop, "getaddrinfo", getaddrinfo)
        await network_proxy.addresses(policy(["a.example", 443]), "a.example", 443)

    with pytest.raises(Refused, match=r"127\.0\.0\.1"):
        asyncio.run(lookup())


def test_a_name_that_does_not_resolve_is_a_gateway_s_error():
    with pytest.raises(Refused, match="cannot be resolved"):
        asyncio.run(network_proxy.addresses(policy(["a.invalid", 443]), "a.invalid", 443))


def test_a_host_is_read_without_case_and_final_dot():
    assert read_target(b"CONNECT Example.ORG.:443 HTTP/1.1\r\n\r\n") == ("example.org", 443, b"")
    assert read_target(b"CONNECT [2606::1]:443 HTTP/1.1\r\n\r\n")[:2] == ("2606::1", 443)


def test_a_side_that_breaks_off_closes_the_other():
    async def broken() -> bool:
        class Writer:
            closed = False

            def write(self, _: bytes) -> None:
                raise ConnectionResetError

            def close(self) -> None:
                self.closed = True

        reader, writer = asyncio.StreamReader(), Writer()
        reader.feed_data(b"x")
        await pump(reader, writer)  # type: ignore[arg-type]
        return writer.closed

    assert asyncio.run(broken())


@pytest.mark.parametrize(
    ("word", "host", "ports", "shown"),
    [
        ("Example.ORG.", "example.org", (443, 80), "example.org"),
        ("example.org:8443", "example.org", (8443,), "example.org:8443"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example", (443, 80), "xn--bcher-kva.example"),
        ("10.1.2.3:80", "10.1.2.3", (80,), "10.1.2.3:80"),
        ("[2606:2800:220:1::1]:443", "2606:2800:220:1::1", (443,), "[2606:2800:220:1::1]:443"),
    ],
)
def test_a_host_is_a_name_or_an_address_with_or_without_a_port(word, host, ports, shown):
    (allowed,) = read_hosts([word])
    assert (allowed.host, allowed.ports, str(allowed)) == (host, ports, shown)


@pytest.mark.parametrize(
    "word",
    [
        "", "*", "*.example.org", "https://example.org", "example.org/path", "user@example.org", "10.0.0.0/8", "a b",
        "example.org:0", "example.org:70000", "example.org:http", "-a.example", "0x7f000001", "127.1", "2130706433",
        "bücher.example", "example..org", "[::1", "a,b",
    ],
)  # fmt: skip
def test_what_is_no_single_host_is_refused(word: str):
    with pytest.raises(UsageError, match="--allow-network"):
        read_hosts([word])


OURS = "localhost a.localhost host.docker.internal 127.0.0.1 [::1] 0.0.0.0 169.254.169.254 [fe80::1]"


@pytest.mark.parametrize("word", OURS.split())
def test_this_machine_and_the_metadata_address_are_refused_by_name(word: str):
    with pytest.raises(UsageError, match="jobs never reach it"):
        read_hosts([word])


def test_the_addresses_of_the_engine_and_of_the_prefect_server_are_known():
    found = own_addresses({"PREFECT_API_URL": "http://203.0.113.7:4200/api", "DOCKER_HOST": "tcp://203.0.113.8:2376"})
    assert {"203.0.113.7", "203.0.113.8"} <= set(found)
