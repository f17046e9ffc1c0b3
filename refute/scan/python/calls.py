"""Python calls of which a row cannot say all: files by mode or pattern, networks, programs and processes."""

import os
import re
import shlex
from typing import Any, Final

from refute.scan.core import hosts
from refute.scan.core.effects import ChangeMode, Connect, Effects, Eval, Flag, List, Read, Send, Write
from refute.scan.core.symbols import DERIVED, DOWNLOAD, HOME, NAME, OUTPUT, OWN_PROCESS, SECRET, UNKNOWN, is_open
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, FileValue, PathText, Ref, as_text, carried, is_text
from refute.scan.rules import Language

_SETUID: Final = 0o6000
_ALL: Final = frozenset({"*", "**", "**/*", ".*", "*.*"})
_VERBS: Final = frozenset(
    {"get", "post", "put", "patch", "delete", "head", "options", "request", "stream", "send", "ws_connect", "urlopen"}
)
_EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - the notation to find
_LISTS_PROCESSES: Final = re.compile(
    r"(?:^|[|;&(]\s*)(?:\S*/)?(?:ps|pgrep|pidof)\b(?![^|;]*(?:\s--?p(?:pid|arent)?\b|\s-P|\$[$!]))"
)
"""A command that lists processes of others too, not one by its id or by its parent."""
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_PROGRAM: Final = Ref("subprocess()")


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


def _write(call: Call) -> Effects:
    """Writing a text into a path or an open file, which `print` names at its end."""
    prints = call.name == "builtins.print"
    target, text = call.keywords.get("file") if prints else call.argument(0), call.text(not prints, "data")
    if isinstance(target, str | FileValue):
        yield Write(as_text(target), text, appends=isinstance(target, FileValue))
        if SECRET in text:
            yield Flag("environment-dump", mild=True)
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


def shell_text(call: Call, value: Any) -> Effects:
    """A command line that a shell will read."""
    text = as_text(value)
    if isinstance(value, str | bytes) and text.strip(UNKNOWN + OUTPUT + " "):
        yield from _started(call, text)
    else:
        # Text that only came in as a parameter says nothing; text from outside is somebody else's command.
        yield Flag("unresolved-command", mild=UNKNOWN not in text)
    return _PROGRAM


def _started(call: Call, text: str) -> Effects:
    if _LISTS_PROCESSES.search(text):
        call.walker.facts.add("processes")
    elif "processes" in call.walker.facts and re.match(r"\W*(?:/\S*/)?kill\b", text) and is_open(text):
        yield Flag("kill-process", detail="The processes are picked from a list of all.")
    if call.walker.endless and call.walker.own_path in text:
        yield Flag("resource-exhaustion", detail="It starts itself.")
    given = call.keywords.get("input")
    if isinstance(given, str | bytes):
        text = f"printf %s {shlex.quote(as_text(given))} | {text}"
    yield Eval(Language.SHELL, text)


def _program(call: Call, value: Any) -> Effects:
    """A program with its arguments, no shell between."""
    text = as_text(value) if isinstance(value, str) else ""
    if isinstance(value, list | tuple) and value:
        words = [as_text(part) for part in value]
        if words[0] in {UNKNOWN, OUTPUT, ""}:
            yield Flag("unresolved-command", mild=True)
            return _PROGRAM
        text = " ".join(word if word in {UNKNOWN, OUTPUT, DOWNLOAD, DERIVED} else shlex.quote(word) for word in words)
    if text:
        yield from _started(call, text)
    return _PROGRAM


def _subprocess(call: Call) -> Effects:
    command, given = call.argument(0, "args"), call.keywords
    streams = [given.get(name) for name in ("stdin", "stdout", "stderr")]
    if any(isinstance(stream, Ref) and "socket" in stream.name for stream in streams):
        yield Flag("reverse-shell")
    shell = given.get("shell")
    several = isinstance(command, list | tuple) and bool(command)
    if shell is True or (shell is not None and shell is not False and isinstance(command, str)):
        return (yield from shell_text(call, command[0] if several else command))
    return (yield from _program(call, command))


def _exec(call: Call) -> Effects:
    """`os.exec*` and the like, of which some are given the name of the program twice; a shell on a terminal."""
    words = [value for value in call.arguments if not isinstance(value, dict)]
    if call.name == "pty.spawn":
        first = call.argument(0, "argv")
        words = list(first) if isinstance(first, list | tuple) and first else [first]
        if as_text(words[0]).rpartition("/")[2] in _SHELLS:
            yield Flag("reverse-shell")
        yield from terminal(call)
    elif call.name.startswith("os."):
        words = words["os.spawn" in call.name :]
        rest = words[1] if words[1:] and isinstance(words[1], list | tuple) else words[1:]
        words = [*words[:1], *rest[1:]]
    return (yield from _program(call, words))


def _kill(call: Call) -> Effects:
    pid = call.argument(0, "pid")
    given = (type(pid) is int and pid != 0) or pid == Ref("os.getppid()")
    if call.argument(1, "sig") != 0 and OWN_PROCESS not in as_text(pid):
        # One that the script picks from a list of all is hardly its own.
        mild = not given and "processes" not in call.walker.facts
        yield Flag("kill-process", mild=mild, detail="-1 stands for every process." if pid == -1 else "")
    return UNK


def _lists_processes(call: Call) -> Effects:
    yield from ()
    call.walker.facts.add("processes")
    return [Ref("psutil.Process()")]


def _start(call: Call) -> Effects:
    """Starting processes without end is a bomb."""
    if call.walker.endless:
        yield Flag("resource-exhaustion")


HANDLERS: Final = (
    *(_glob, _write, _request, _address, terminal, _listen),
    *(_subprocess, _exec, _kill, _start, _lists_processes),
)
