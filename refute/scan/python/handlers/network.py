"""Python calls that talk over a network."""

import re
from typing import Any, Final

from refute.scan.core import hosts
from refute.scan.core.effects import Connect, Effects, Flag, Read, Send, Write
from refute.scan.core.symbols import DERIVED, DOWNLOAD, SECRET, UNKNOWN
from refute.scan.core.tables import Command
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, PathValue, Ref, as_text

_VERBS: Final = frozenset(
    {"get", "post", "put", "patch", "delete", "head", "options", "request", "stream", "send", "ws_connect", "urlopen"}
)
_EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - the notation to find


def _sends(call: Call) -> Effects:
    """What a request carries."""
    yield Send(tuple(text for value in call.texts() for text in _carried(value)))


def _carried(value: Any) -> list[str]:
    if isinstance(value, Ref):
        return [SECRET] if value.name.startswith("os.environ") else []
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _carried(inner)]
    if isinstance(value, list | tuple):
        return [text for inner in value[:20] for text in _carried(inner)]
    return [as_text(value)]


def _connect(call: Call, value: Any) -> Effects:
    """A request to a URL."""
    if isinstance(value, Ref) and value.name == "download()":
        return value
    url = as_text(value)
    if url.startswith("file:"):
        yield Read(url.removeprefix("file:").removeprefix("//"))
    elif DERIVED in url:
        yield Flag("network-external", detail="The address is hidden.")
    else:
        yield Connect(hosts.host_of(url) if isinstance(value, str) else UNKNOWN)
    yield from _sends(call)
    return Ref("download()")


def _url(call: Call, _row: Command) -> Effects:
    return (yield from _connect(call, call.argument(0, "url")))


def _request(call: Call, _row: Command) -> Effects:
    last = call.name.rpartition(".")[2]
    if last not in _VERBS:
        return Ref(f"{call.name}()")
    return (yield from _connect(call, call.argument(1 if last in {"request", "stream"} else 0, "url")))


def _address_if_any(call: Call, _row: Command) -> Effects:
    """Calls that take something else as well as a URL, such as a path or an option."""
    for value in call.texts():
        if isinstance(value, str) and re.match(r"[\w+.-]+://", value):
            return (yield from _connect(call, value))
        if isinstance(value, str | PathValue) and call.name.startswith("pandas."):
            yield Read(as_text(value))
            break
    return UNK


def _request_object(call: Call, _row: Command) -> Effects:
    yield from _sends(call)
    url = call.argument(0, "url")
    return url if isinstance(url, str) else UNK


def _socket(call: Call, _row: Command) -> Effects:
    """A socket that gets whatever passes by listens to others."""
    kinds = [*call.arguments[:2], call.keywords.get("family"), call.keywords.get("type")]
    if {"socket.AF_PACKET", "socket.SOCK_RAW", "socket.PF_PACKET"} & {v.name for v in kinds if isinstance(v, Ref)}:
        yield Flag("attack-tool", detail="A raw socket reads what other programs send.")
    return Ref("socket.socket()")


def _host(call: Call, _row: Command) -> Effects:
    value = call.argument(0, "host")
    if value is not UNK:
        yield Connect(hosts.host_of(as_text(value)))
    yield from _sends(call)
    if "connection" in call.name or "tcp" in call.name:
        yield from _fact(call, "socket")
        return (UNK, UNK)
    return Ref(f"{call.name}()")


def _address(call: Call, _row: Command) -> Effects:
    value = next((v for v in call.texts() if isinstance(v, tuple | list) and v[1:]), UNK)
    if isinstance(value, tuple | list):
        yield Connect(as_text(value[0]))
    elif call.arguments and not isinstance(call.arguments[0], str | bytes):
        yield Connect(UNKNOWN)
    yield from _fact(call, "socket")
    yield from _sends(call)
    return Ref("socket.socket()")


def _fact(call: Call, fact: str) -> Effects:
    """A connection, or a terminal: both together give somebody a shell."""
    call.walker.facts.add(fact)
    if {"socket", "terminal"} <= call.walker.facts:
        yield Flag("reverse-shell")


def terminal(call: Call, _row: Command) -> Effects:
    """Connecting a terminal or standard streams to something else."""
    yield from _fact(call, "terminal")
    return UNK


def _listen(call: Call, _row: Command) -> Effects:
    pair = call.argument(0, "server_address")
    if isinstance(pair, tuple | list) and len(pair) > 1:
        host, port = pair[0], pair[1]
    elif call.name == "asyncio.start_server":
        host, port = call.argument(1, "host"), call.argument(2, "port")
    else:
        host, port = call.keywords.get("host"), 1
    if isinstance(host, str) and host in _EVERYWHERE:
        yield Flag("network-listen", mild=port == 0 or not isinstance(port, int))
    return Ref(f"{call.name}()")


def _client(call: Call, _row: Command) -> Effects:
    """A client that is told once where all its requests go."""
    if "base_url" in call.keywords:
        yield from _connect(call, call.keywords["base_url"])
    return Ref(f"{call.name}()")


def _proxies(call: Call, _row: Command) -> Effects:
    table = call.argument(0, "proxies")
    for address in table.values() if isinstance(table, dict) else ():
        if isinstance(address, str):
            yield Connect(hosts.host_of(address))
    return UNK


def _resolve_host(call: Call, _row: Command) -> Effects:
    host = call.text(0, "host")
    if hosts.reach_of(host) == hosts.Reach.EXTERNAL:
        yield Connect(host)
    return UNK


def _retrieve(call: Call, _row: Command) -> Effects:
    yield from _connect(call, call.argument(0, "url"))
    target = call.argument(1, "filename")
    if isinstance(target, str | PathValue):
        yield Write(as_text(target), DOWNLOAD)
    return UNK


def _received(call: Call, _row: Command) -> Effects:
    yield from ()
    if call.name.startswith("ssl."):
        return Ref(f"{call.name}()")
    return (Ref("socket.socket()"), UNK) if call.name.endswith("accept") else DOWNLOAD


HANDLERS: Final = {
    "url": _url,
    "request": _request,
    "address_if_any": _address_if_any,
    "request_object": _request_object,
    "socket": _socket,
    "host": _host,
    "address": _address,
    "terminal": terminal,
    "listen": _listen,
    "client": _client,
    "proxies": _proxies,
    "resolve_host": _resolve_host,
    "retrieve": _retrieve,
    "received": _received,
}


def unknown_page(call: Call) -> Effects:
    """`page.goto("…")` of browsers that are driven by code."""
    return (yield from _address_if_any(call, Command(names=())))
