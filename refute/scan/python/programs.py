"""Python calls that run programs, or end them."""

import re
import shlex
from typing import Any, Final

from refute.scan.core.effects import Effects, Eval, Flag
from refute.scan.core.symbols import DERIVED, DOWNLOAD, OUTPUT, OWN_PROCESS, UNKNOWN, is_open
from refute.scan.python.outside import terminal
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, Ref, as_text
from refute.scan.rules import Language

_LISTS_PROCESSES: Final = re.compile(
    r"(?:^|[|;&(]\s*)(?:\S*/)?(?:ps|pgrep|pidof)\b(?![^|;]*(?:\s--?p(?:pid|arent)?\b|\s-P|\$[$!]))"
)
"""A command that lists processes of others too, not one by its id or by its parent."""
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_PROGRAM: Final = Ref("subprocess()")


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


HANDLERS: Final = (_subprocess, _exec, _kill, _start, _lists_processes)
