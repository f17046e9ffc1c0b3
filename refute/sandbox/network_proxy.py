"""The egress proxy: the one way out of a job's network, to the allowed hosts only. Runs inside a container of its own.

Standard library only, and a file by itself: its source is what the container executes (`python3 -I -S -c`). It knows
`CONNECT` and plain HTTP requests. A name is resolved here, each address is checked, and the connection goes to the
address that was checked, so a name that changes its address gains nothing.
"""

import asyncio
import ipaddress
import json
import signal
import socket
import sys
from typing import Any

HEAD_BYTES = 16_384
HEAD_TIMEOUT_S = 30
CONNECT_TIMEOUT_S = 15
CONNECTIONS = 64
CHUNK_BYTES = 65_536


class Refused(Exception):  # an answer, not a fault
    """The request goes nowhere.

    Args:
        status: of the HTTP answer.
        reason: for the person who reads the job's output.
    """

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Policy:
    """What may be reached.

    Args:
        allowed: pairs of host name or address (lower case) and port.
        networks: private networks, in CIDR notation, that allowed hosts may lie in.
        denied: addresses that are never reached.
        clients: the network, in CIDR notation, whose connections are served.
    """

    def __init__(self, allowed: list[list[Any]], networks: list[str], denied: list[str], clients: str) -> None:
        self._allowed = {(str(host), int(port)) for host, port in allowed}
        self._networks = [ipaddress.ip_network(network) for network in networks]
        self._denied = {ipaddress.ip_address(address) for address in denied}
        self._clients = ipaddress.ip_network(clients)

    def serves(self, address: str) -> bool:
        """Whether a client may ask at all."""
        return ipaddress.ip_address(address) in self._clients

    def check_name(self, host: str, port: int) -> None:
        """Refuse a host or port that was not allowed."""
        if (host, port) not in self._allowed:
            raise Refused("403 Forbidden", f"{host}:{port} is not among the hosts of --allow-network")

    def check_address(self, text: str) -> None:
        """Refuse an address that is not on the internet, unless its network was named; and the denied ones always."""
        address: Any = ipaddress.ip_address(text.partition("%")[0])
        address = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None) or address
        named = any(address.version == network.version and address in network for network in self._networks)
        if address in self._denied or address.is_loopback or address.is_link_local or address.is_unspecified:
            raise Refused("403 Forbidden", f"{text} belongs to this machine or its services, which are never reached")
        if address.is_multicast or not (address.is_global or named):
            raise Refused("403 Forbidden", f"{text} is in a private network; the setting egress_networks can name it")


async def addresses(policy: Policy, host: str, port: int) -> list[tuple[Any, ...]]:
    """Where a host can be reached; every one of its addresses must be permitted."""
    policy.check_name(host, port)
    try:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:
        raise Refused("502 Bad Gateway", f"{host} cannot be resolved: {error}") from error
    for *_, address in found:
        policy.check_address(str(address[0]))
    return found


async def dial(policy: Policy, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to one of the host's checked addresses."""
    last: Exception | None = None
    for family, *_, address in await addresses(policy, host, port):
        try:
            opening = asyncio.open_connection(str(address[0]), port, family=family)
            return await asyncio.wait_for(opening, CONNECT_TIMEOUT_S)
        except (TimeoutError, OSError) as error:
            last = error
    raise Refused("502 Bad Gateway", f"{host}:{port} does not answer: {last or 'no address'}")


def read_target(head: bytes) -> tuple[str, int, bytes]:
    """The host and port that a request asks for, and what is sent there first (nothing for CONNECT)."""
    try:
        line, _, rest = head.decode("latin-1").partition("\r\n")
        method, target, version = line.split(" ")
        if method == "CONNECT":
            return (*_split(target, 443), b"")
        scheme, remainder = target.split("://", 1)
        place, slash, path = remainder.partition("/")
        host, port = _split(place, {"http": 80}[scheme.lower()])
    except (ValueError, KeyError) as error:
        raise Refused("400 Bad Request", "expected CONNECT host:port or an http:// address") from error
    hop = ("connection:", "proxy-connection:", "proxy-authorization:", "host:")
    kept = [field for field in rest.split("\r\n") if field and not field.lower().startswith(hop)]
    lines = [f"{method} {slash or '/'}{path} {version}", f"Host: {place}", *kept, "Connection: close", "", ""]
    return host, port, "\r\n".join(lines).encode("latin-1")


def _split(place: str, default: int) -> tuple[str, int]:
    if place.startswith("["):
        host, _, rest = place[1:].partition("]")
        port = rest.removeprefix(":")
    else:
        host, _, port = place.partition(":")
    if not host or "@" in place:
        raise ValueError(place)
    return host.lower().rstrip("."), int(port or default)


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass bytes on until one side ends."""
    try:
        while data := await reader.read(CHUNK_BYTES):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
    except OSError:
        writer.close()


async def serve(policy: Policy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection of the job, to its end."""
    try:
        if not policy.serves(str(writer.get_extra_info("peername")[0])):
            return
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_TIMEOUT_S)
        host, port, first = read_target(head)
        far_reader, far_writer = await dial(policy, host, port)
        try:
            if first:
                far_writer.write(first)
            else:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))
        finally:
            far_writer.close()
    except Refused as refusal:
        body = f"refute: {refusal.reason}\n".encode()
        head = f"HTTP/1.1 {refusal.status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
        writer.write(head + body)
    except (TimeoutError, OSError, EOFError, asyncio.LimitOverrunError):
        pass  # the job went away, or never asked
    finally:
        writer.close()


async def main(config: dict[str, Any]) -> None:
    """Serve until the lifetime is over."""
    signal.alarm(int(config["lifetime_s"]))  # the default action ends the program, whatever it does then
    policy = Policy(config["allowed"], config["networks"], config["denied"], config["clients"])
    room = asyncio.Semaphore(CONNECTIONS)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with room:
            await serve(policy, reader, writer)

    server = await asyncio.start_server(handle, config["listen"], config["port"], limit=HEAD_BYTES)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
