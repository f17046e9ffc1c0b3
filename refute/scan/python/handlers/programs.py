"""Python calls that run programs, or end them."""

import ast
import re
import shlex
from typing import Any, Final

from refute.scan.core.effects import Effects, Eval, Flag, Preload
from refute.scan.core.symbols import (
    DERIVED,
    DOWNLOAD,
    OTHER_PROCESS,
    OUTPUT,
    OWN_PROCESS,
    UNKNOWN,
)
from refute.scan.core.tables import Command
from refute.scan.python import names
from refute.scan.python.handlers.files import file_method
from refute.scan.python.handlers.network import terminal
from refute.scan.python.state import Call
from refute.scan.python.values import PROCESSES, UNK, FileValue, PathValue, Ref, as_text, options_of
from refute.scan.rules import Language

_LISTS_PROCESSES: Final = re.compile(
    r"(?:^|[|;&(]\s*)(?:\S*/)?(?:ps|pgrep|pidof)\b(?![^|;]*(?:\s--?p(?:pid|arent)?\b|\s-P|\$[$!]))"
)
"""A command that lists processes of others too, not one by its id or by its parent."""
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_READS_COMMANDS: Final = _SHELLS | {"python", "perl", "ruby", "node", "php"}
_INPUT_END: Final = "REFUTE_INPUT"
_PRELOADS: Final = frozenset({"LD_PRELOAD", "LD_AUDIT", "PYTHONSTARTUP"})


def _shell_text(call: Call, value: Any) -> Effects:
    """A command line that a shell will read."""
    for option in options_of(value):
        text = as_text(option)
        if not isinstance(option, str | bytes | PathValue) or not text.strip(UNKNOWN + OUTPUT + " "):
            # Text that only came in as a parameter says nothing; text from outside is somebody else's command.
            yield Flag("unresolved-command", mild=UNKNOWN not in text)
            continue
        hidden = any(one and one in text for one in call.walker.decoded if len(one) > 3)  # noqa: PLR2004
        if hidden and DERIVED not in text:
            yield Flag("decoded-execution")
        yield Eval(Language.SHELL, text)
        if _LISTS_PROCESSES.search(text):
            return PROCESSES
    return Ref("subprocess()")


def _argument_list(value: Any) -> Effects:
    """A program with its arguments, no shell between."""
    text = ""
    if isinstance(value, list | tuple) and value:
        words = [as_text(part) for part in value]
        if words[0] in {UNKNOWN, OUTPUT, ""}:
            yield Flag("unresolved-command", mild=True)
            return Ref("subprocess()")
        text = " ".join(map(_quoted, words))
    elif isinstance(value, str | PathValue):
        text = as_text(value)
        text = text if isinstance(value, str) and " " in text else _quoted(text)
    if text:
        yield Eval(Language.SHELL, text)
    return PROCESSES if _LISTS_PROCESSES.match(text) else Ref("subprocess()")


def _quoted(word: str) -> str:
    return word if word in {UNKNOWN, OUTPUT, DOWNLOAD, DERIVED} else shlex.quote(word)


def _subprocess(call: Call, _row: Command) -> Effects:
    command = call.argument(0, "args")
    if call.walker.endless and call.name.endswith("Popen"):
        yield Flag("fork-bomb")
    streams = [call.keywords.get(name) for name in ("stdin", "stdout", "stderr")]
    if any(isinstance(stream, Ref) and "socket" in stream.name for stream in streams):
        yield Flag("reverse-shell")
    environment = call.keywords.get("env")
    if isinstance(environment, dict) and "LD_PRELOAD" in environment:
        yield Preload(as_text(environment["LD_PRELOAD"]))
    shell, program = call.keywords.get("shell"), call.keywords.get("executable")
    if isinstance(program, str) and isinstance(command, list | tuple) and shell is not True:
        command = [program, *command[1:]]
    yield from _interpreter(call, command)
    if shell is True or (shell is not None and shell is not False and isinstance(command, str)):
        first = command[0] if isinstance(command, list | tuple) and command else command
        return (yield from _shell_text(call, first))
    return (yield from _argument_list(command))


def _interpreter(call: Call, command: Any) -> Effects:
    """An interpreter that is given its commands as input."""
    words = [as_text(part) for part in (command if isinstance(command, list | tuple) else [command])]
    bare = len(words) == 1 or all(word.startswith("-") for word in words[1:])
    if words and bare and words[0].rpartition("/")[2].rstrip("0123456789.") in _READS_COMMANDS:
        value = call.keywords.get("input", UNK)
        text = as_text(value)
        if isinstance(value, str | bytes) and text.strip(UNKNOWN + OUTPUT + " \n") and _INPUT_END not in text:
            yield Eval(Language.SHELL, f"{' '.join(words)} <<'{_INPUT_END}'\n{text}\n{_INPUT_END}\n")


def _print(call: Call, _row: Command) -> Effects:
    """`print(…, file=…)` into a file."""
    target = call.keywords.get("file")
    if isinstance(target, FileValue):
        yield from file_method(call, "write", target) or ()
    return UNK


def _system(call: Call, _row: Command) -> Effects:
    keyword = "command" if "system" in call.name else "cmd"
    return (yield from _shell_text(call, call.argument(0, keyword)))


def _exec_list(call: Call, _row: Command) -> Effects:
    words = [value for value in call.arguments if not isinstance(value, dict)]
    if "os.spawn" in call.name and words:
        words = words[1:]
    if len(words) > 1:
        words = [words[0], *(list(words[1])[1:] if isinstance(words[1], list | tuple) else words[2:])]
    return (yield from _argument_list(words))


def _exec_async(call: Call, _row: Command) -> Effects:
    named = call.name.startswith("sh.") and call.name != "sh.Command"
    return (yield from _argument_list([call.name[3:], *call.arguments] if named else call.arguments))


def _spawn_terminal(call: Call, row: Command) -> Effects:
    value = call.argument(0)
    words = list(value) if isinstance(value, list | tuple) else [value]
    if as_text(words[0]).rpartition("/")[2] in _SHELLS:
        yield Flag("reverse-shell")
    yield from terminal(call, row)
    return (yield from _argument_list(words))


def _kill(call: Call, _row: Command) -> Effects:
    pid, text = call.argument(0, "pid"), call.text(0, "pid")
    other = isinstance(pid, int) and not isinstance(pid, bool) and pid != 0
    if call.argument(1, "sig") == 0:
        return UNK
    if pid == -1:
        yield Flag("kill-process", detail="-1 stands for every process.")
    elif other or (isinstance(pid, Ref) and "getppid" in pid.name):
        yield Flag("kill-process")
    elif OTHER_PROCESS in text:
        yield Flag("kill-process", detail="The processes are picked from a list of all.")
    elif OWN_PROCESS not in text:
        yield Flag("kill-process", mild=True)
    return UNK


def _start(call: Call, _row: Command) -> Effects:
    """Starting processes and threads: without end, or of itself, it is a bomb."""
    around = [frame.name for frame in call.walker.stack if isinstance(frame, ast.FunctionDef)]
    again = "fork" in call.name and any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in around
        for frame in call.walker.stack
        for node in ast.walk(frame)
    )
    if call.walker.endless or again:
        yield Flag("fork-bomb")
    return None if "fork" in call.name else Ref(f"{call.name}()")


def _putenv(call: Call, _row: Command) -> Effects:
    name, value = call.argument(0), call.argument(1)
    if name in _PRELOADS:
        yield Preload(as_text(value))
    elif isinstance(name, str) and isinstance(value, str):
        call.walker.variables[name] = value
    return UNK


def _outside(call: Call, _row: Command) -> Effects:
    """What comes in from outside."""
    yield from ()
    if "env" in call.name:
        return names.environment_value(call.argument(0))
    return PROCESSES if call.name == "psutil.pids" else OWN_PROCESS if call.name.startswith("os.") else UNKNOWN


HANDLERS: Final = {
    "system": _system,
    "subprocess": _subprocess,
    "exec_list": _exec_list,
    "exec_async": _exec_async,
    "spawn_terminal": _spawn_terminal,
    "print": _print,
    "kill": _kill,
    "start": _start,
    "putenv": _putenv,
    "outside": _outside,
}
