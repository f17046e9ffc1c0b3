"""Python calls that talk over a network."""

from typing import Any, Final

from refute.scan.core import hosts
from refute.scan.core.effects import Connect, Effects, Flag, Read, Send
from refute.scan.core.symbols import DERIVED, DOWNLOAD, UNKNOWN
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, Ref, as_text, carried

_VERBS: Final = frozenset(
    {"get", "post", "put", "patch", "delete", "head", "options", "request", "stream", "send", "ws_connect", "urlopen"}
)
_EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - the notation to find


def sends(call: Call) -> Effects:
    """What a request carries."""
    yield Send(tuple(text for value in call.values for text in carried(value)))


def connect(call: Call, value: Any) -> Effects:
    """A request to a URL; returns what it brings."""
    url = as_text(value)
    if url.startswith("file:"):
        yield Read(url.removeprefix("file:").removeprefix("//"))
    elif DERIVED in url:
        yield Flag("network-external", detail="The address is hidden.")
    elif url != DOWNLOAD:
        yield Connect(hosts.host_of(url) if isinstance(value, str) else UNKNOWN)
    yield from sends(call)
    return DOWNLOAD


def _request(call: Call) -> Effects:
    if call.last not in _VERBS:
        return Ref(f"{call.name}()")
    return (yield from connect(call, call.argument(1 if call.last in {"request", "stream"} else 0, "url")))


def _address(call: Call) -> Effects:
    value = next((one for one in call.values if isinstance(one, tuple | list) and one[1:]), UNK)
    if isinstance(value, tuple | list):
        yield Connect(as_text(value[0]))
    elif call.arguments and (not isinstance(call.arguments[0], str | bytes) or "socket()" not in call.name):
        yield Connect(hosts.host_of(call.text(0, "host")) if isinstance(call.arguments[0], str) else UNKNOWN)
    yield from with_socket(call, "socket")
    yield from sends(call)
    return (UNK, UNK) if call.name.startswith("asyncio.") else Ref("socket.socket()")


def with_socket(call: Call, fact: str = "terminal") -> Effects:
    """A connection, or a terminal or standard streams tied to something else: both together give somebody a shell."""
    call.walker.facts.add(fact)
    if {"socket", "terminal"} <= call.walker.facts:
        yield Flag("reverse-shell")
    return UNK


def _listen(call: Call) -> Effects:
    at = call.name == "asyncio.start_server"
    host, port = call.argument(at, "server_address", "host"), call.argument(2, "port") if at else 1
    if isinstance(host, tuple | list) and len(host) > 1:
        host, port = host[:2]
    if isinstance(host, str) and host in _EVERYWHERE:
        yield Flag("network-listen", mild=port == 0 or not isinstance(port, int))
    return Ref(f"{call.name}()")


HANDLERS: Final = {"request": _request, "address": _address, "terminal": with_socket, "listen": _listen}
