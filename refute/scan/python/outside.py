"""Python calls on files, whose effects depend on a mode or a pattern, and calls that talk over a network."""

import os
import re
from typing import Any, Final

from refute.scan.core import hosts, paths
from refute.scan.core.effects import ChangeMode, Connect, Effects, Flag, List, Read, Send, Write
from refute.scan.core.symbols import DERIVED, DOWNLOAD, HOME, NAME, OUTPUT, SECRET, UNKNOWN
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, FileValue, PathText, Ref, as_text, carried, is_text

_SETUID: Final = 0o6000
_ALL: Final = frozenset({"*", "**", "**/*", ".*", "*.*"})
_VERBS: Final = frozenset(
    {"get", "post", "put", "patch", "delete", "head", "options", "request", "stream", "send", "ws_connect", "urlopen"}
)
_EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - the notation to find


def opened(call: Call, value: Any) -> Effects:
    """Opening a file in a mode; returns the open file."""
    path, mode = as_text(value), call.argument(1, "mode", "flags")
    if isinstance(mode, int):
        mode = "w" if mode & (os.O_WRONLY | os.O_RDWR) else "r"
    mode, content = mode if isinstance(mode, str) else "r", OUTPUT
    writes = bool(set(mode) & set("wax"))
    if writes or "+" in mode:
        yield Write(path)
    if "r" in mode or "+" in mode or not writes:
        content = yield Read(path)
        if DERIVED in path:
            yield Flag("read-host-file", detail="The path is hidden.")
    archive = call.name.startswith(("zipfile.", "tarfile."))
    return FileValue(path, OUTPUT if content == UNKNOWN else content, "Archive" if archive else "File")


def mode_changed(call: Call, value: Any) -> Effects:
    """Rights or an owner that a path is given."""
    mode = call.argument(1, "mode")
    if isinstance(mode, int) and mode & _SETUID and "chmod" in call.name:
        yield Flag("setuid")
    if is_text(value):
        yield ChangeMode(as_text(value))


def _glob(call: Call) -> Effects:
    path = call.argument(0, "pathname")
    method = call.name.startswith("Path.")
    given = as_text(call.argument(1)) if call.arguments[1:] else "*"
    pattern = f"{path.rstrip('/')}/{given}" if method else as_text(path)
    directory, slash, _ = re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")
    whole = pattern.startswith(("/", "~", HOME)) and pattern[len(directory) :].strip("/") in _ALL
    if whole:
        yield List(directory or "/")
    elif not method:
        yield Read(pattern)
    found = f"{directory or slash}/{NAME}" if slash else NAME
    return [PathText(found) if method else found]


def _read_file(call: Call) -> Effects:
    yield from ()
    return call.arguments[0].content


def _write(call: Call) -> Effects:
    """Writing a text into a path or an open file, which `print` names at its end."""
    prints = call.name == "builtins.print"
    target, text = call.keywords.get("file") if prints else call.argument(0), call.text(not prints, "data")
    if isinstance(target, str | FileValue):
        yield Write(as_text(target), text, appends=isinstance(target, FileValue))
        if SECRET in text:
            yield Flag("environment-dump", mild=True)
    return UNK


def _chdir(call: Call) -> Effects:
    yield from ()
    call.walker.cwd = paths.locate(call.text(0, "path"), call.walker.cwd).text
    return UNK


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
    yield from terminal(call, "socket")
    yield from sends(call)
    return (UNK, UNK) if call.name.startswith("asyncio.") else Ref("socket.socket()")


def terminal(call: Call, fact: str = "terminal") -> Effects:
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


HANDLERS: Final = (_glob, _read_file, _write, _chdir, _request, _address, terminal, _listen)
