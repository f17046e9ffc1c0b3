"""Python calls that run programs, or end them."""

import ast
import re
import shlex
from typing import Any, Final

from refute.scan.core.effects import Effects, Eval, Flag, Preload
from refute.scan.core.symbols import DERIVED, DOWNLOAD, OUTPUT, OWN_PROCESS, UNKNOWN, is_open
from refute.scan.python.handlers.files import written
from refute.scan.python.handlers.network import terminal
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, FileValue, PathValue, Ref, as_text, options_of
from refute.scan.rules import Language

_LISTS_PROCESSES: Final = re.compile(
    r"(?:^|[|;&(]\s*)(?:\S*/)?(?:ps|pgrep|pidof)\b(?![^|;]*(?:\s--?p(?:pid|arent)?\b|\s-P|\$[$!]))"
)
"""A command that lists processes of others too, not one by its id or by its parent."""
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_READS_COMMANDS: Final = _SHELLS | {"python", "perl", "ruby", "node", "php"}
_INPUT_END: Final = "REFUTE_INPUT"
PRELOADS: Final = frozenset({"LD_PRELOAD", "LD_AUDIT", "PYTHONSTARTUP"})
_PROGRAM: Final = Ref("subprocess()")


def shell_text(call: Call, value: Any) -> Effects:
    """A command line that a shell will read."""
    for option in options_of(value):
        text = as_text(option)
        if not isinstance(option, str | bytes | PathValue) or not text.strip(UNKNOWN + OUTPUT + " "):
            # Text that only came in as a parameter says nothing; text from outside is somebody else's command.
            yield Flag("unresolved-command", mild=UNKNOWN not in text)
            continue
        yield from _started(call, text)
    return _PROGRAM


def _started(call: Call, text: str) -> Effects:
    if _LISTS_PROCESSES.search(text):
        call.walker.facts.add("processes")
    elif "processes" in call.walker.facts and re.match(r"\W*(?:/\S*/)?kill\b", text) and is_open(text):
        yield Flag("kill-process", detail="The processes are picked from a list of all.")
    yield Eval(Language.SHELL, text)


def _lists_processes(call: Call) -> Effects:
    yield from ()
    call.walker.facts.add("processes")
    return Ref(f"{call.name}()")


def program(call: Call, value: Any) -> Effects:
    """A program with its arguments, no shell between."""
    text = ""
    if isinstance(value, list | tuple) and value:
        words = [as_text(part) for part in value]
        if words[0] in {UNKNOWN, OUTPUT, ""}:
            yield Flag("unresolved-command", mild=True)
            return _PROGRAM
        text = " ".join(map(_quoted, words))
    elif isinstance(value, str | PathValue):
        text = as_text(value)
        text = text if isinstance(value, str) and " " in text else _quoted(text)
    if text:
        yield from _started(call, text)
    return _PROGRAM


def _quoted(word: str) -> str:
    return word if word in {UNKNOWN, OUTPUT, DOWNLOAD, DERIVED} else shlex.quote(word)


def _subprocess(call: Call) -> Effects:
    command, given = call.argument(0, "args"), call.keywords
    if call.walker.endless and call.name.endswith("Popen"):
        yield Flag("fork-bomb")
    streams = [given.get(name) for name in ("stdin", "stdout", "stderr")]
    if any(isinstance(stream, Ref) and "socket" in stream.name for stream in streams):
        yield Flag("reverse-shell")
    environment, shell, executable = (given.get(name) for name in ("env", "shell", "executable"))
    if isinstance(environment, dict) and "LD_PRELOAD" in environment:
        yield Preload(as_text(environment["LD_PRELOAD"]))
    several = isinstance(command, list | tuple)
    if isinstance(executable, str) and several and shell is not True:
        command = [executable, *command[1:]]
    yield from _interpreter(call, [as_text(part) for part in (command if several else [command])])
    if shell is True or (shell is not None and shell is not False and isinstance(command, str)):
        return (yield from shell_text(call, command[0] if several and command else command))
    return (yield from program(call, command))


def _interpreter(call: Call, words: list[str]) -> Effects:
    """An interpreter that is given its commands as input."""
    bare = all(word.startswith("-") for word in words[1:])
    if words and bare and words[0].rpartition("/")[2].rstrip("0123456789.") in _READS_COMMANDS:
        value = call.keywords.get("input", UNK)
        text = as_text(value)
        if isinstance(value, str | bytes) and text.strip(UNKNOWN + OUTPUT + " \n") and _INPUT_END not in text:
            yield Eval(Language.SHELL, f"{' '.join(words)} <<'{_INPUT_END}'\n{text}\n{_INPUT_END}\n")


def _exec_list(call: Call) -> Effects:
    words = [value for value in call.arguments if not isinstance(value, dict)]
    words = words[1:] if "os.spawn" in call.name else words
    if len(words) > 1:
        words = [words[0], *(list(words[1])[1:] if isinstance(words[1], list | tuple) else words[2:])]
    return (yield from program(call, words))


def _exec_async(call: Call) -> Effects:
    named = call.name.startswith("sh.") and call.name != "sh.Command"
    return (yield from program(call, [call.last, *call.arguments] if named else call.arguments))


def _spawn_terminal(call: Call) -> Effects:
    value = call.argument(0)
    words = list(value) if isinstance(value, list | tuple) else [value]
    if as_text(words[0]).rpartition("/")[2] in _SHELLS:
        yield Flag("reverse-shell")
    yield from terminal(call)
    return (yield from program(call, words))


def _print(call: Call) -> Effects:
    """`print(…, file=…)` into a file."""
    target = call.keywords.get("file")
    if isinstance(target, FileValue):
        yield from written(target, call.text(0))
    return UNK


def _kill(call: Call) -> Effects:
    pid, text = call.argument(0, "pid"), call.text(0, "pid")
    if call.argument(1, "sig") == 0:
        return UNK
    if pid == -1:
        yield Flag("kill-process", detail="-1 stands for every process.")
    elif (type(pid) is int and pid != 0) or pid == Ref("os.getppid()"):
        yield Flag("kill-process")
    elif OWN_PROCESS not in text:
        # One that the script picks from a list of all is hardly its own.
        yield Flag("kill-process", mild="processes" not in call.walker.facts)
    return UNK


def _start(call: Call) -> Effects:
    """Starting processes and threads: without end, or of itself, it is a bomb."""
    around = [frame.name for frame in call.walker.stack if isinstance(frame, ast.FunctionDef)]
    forks = "fork" in call.name
    again = forks and any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in around
        for frame in call.walker.stack
        for node in ast.walk(frame)
    )
    if call.walker.endless or again:
        yield Flag("fork-bomb")
    if forks:
        return UNK
    call.walker.follow(call)
    return Ref(f"{call.name}()")


def _putenv(call: Call) -> Effects:
    name, value = call.argument(0), call.argument(1)
    if name in PRELOADS:
        yield Preload(as_text(value))
    elif isinstance(name, str) and isinstance(value, str):
        call.walker.variables[name] = value
    return UNK


HANDLERS: Final = {
    "subprocess": _subprocess,
    "exec_list": _exec_list,
    "exec_async": _exec_async,
    "spawn_terminal": _spawn_terminal,
    "print": _print,
    "kill": _kill,
    "start": _start,
    "putenv": _putenv,
    "lists_processes": _lists_processes,
}
