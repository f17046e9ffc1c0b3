"""Python calls that run programs."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
import shlex
from typing import Any, Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.python.call import PythonCall
from refute.scan.python.calls import fed, network
from refute.scan.python.values import PROCESSES, UNK, PathValue, Ref, as_text, options_of
from refute.scan.symbols import DERIVED, DOWNLOAD, OUTPUT, SECRET, UNKNOWN

_LISTS_PROCESSES: Final = re.compile(
    r"(?:^|[|;&(]\s*)(?:\S*/)?(?:ps|pgrep|pidof)\b(?![^|;]*(?:\s--?p(?:pid|arent)?\b|\s-P|\$[$!]))"
)
"""A command that lists processes of others too, not one by its id or by its parent."""
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh"})


def shell_text(call: PythonCall, value: Any) -> Any:
    """Judge a command line that a shell will read."""
    for option in options_of(value):
        text = as_text(option)
        if not isinstance(option, str | bytes | PathValue) or not text.strip(UNKNOWN + OUTPUT + " "):
            # Text that only came in as a parameter says nothing; text from outside is somebody else's command.
            outside = UNKNOWN in text
            call.act.add("unresolved-command", severity=None if outside else Severity.MEDIUM)
            continue
        if any(hidden and hidden in text for hidden in call.walker.decoded if len(hidden) > 3) or DERIVED in text:  # noqa: PLR2004
            call.act.add("decoded-execution")
        if DOWNLOAD in text:
            call.act.add("pipe-to-shell")
        elif DERIVED not in text:
            embedded(call, text)
        if _LISTS_PROCESSES.search(text):
            return PROCESSES
    return Ref("subprocess()")


def embedded(call: PythonCall, text: str) -> None:
    """Judge shell text that a call runs."""
    from refute.scan.shell import Surroundings, scan_embedded_shell  # noqa: PLC0415 - the languages need each other

    walker = call.walker
    if walker.depth >= 6:  # noqa: PLR2004 - shell in Python in shell …
        walker.report.add("unanalysable", walker.spot(call.node), "nested too deeply")
        return
    cwd, environment = call.keywords.get("cwd"), call.keywords.get("env")
    around = Surroundings(
        cwd=paths.locate(as_text(cwd), walker.cwd).text if isinstance(cwd, str | PathValue) else walker.cwd,
        variables=walker.variables | (_texts(environment) if isinstance(environment, dict) else {}),
        written=walker.written,
    )
    scan_embedded_shell(walker.report, text, walker.spot(call.node), depth=walker.depth + 1, around=around)


def _texts(environment: dict[Any, Any]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if isinstance(name, str) and isinstance(value, str)}


def argument_list(call: PythonCall, value: Any) -> Any:
    """Judge a program with its arguments, no shell between."""
    if isinstance(value, list | tuple) and value:
        words = [as_text(part) for part in value]
        if words[0] in {UNKNOWN, OUTPUT, ""}:
            call.act.add("unresolved-command", severity=Severity.MEDIUM)
            return Ref("subprocess()")
        text = " ".join(_quoted(word) for word in words)
        embedded(call, text)
        if _LISTS_PROCESSES.match(text):
            return PROCESSES
    elif isinstance(value, str | PathValue):
        embedded(
            call,
            _quoted(as_text(value)) if isinstance(value, PathValue) or " " not in as_text(value) else as_text(value),
        )
    return Ref("subprocess()")


def _quoted(word: str) -> str:
    return word if word in {UNKNOWN, OUTPUT} else shlex.quote(word)


def _subprocess(call: PythonCall) -> Any:
    command = call.argument(0, "args")
    if call.walker.endless and call.name.endswith("Popen"):
        call.act.add("fork-bomb", severity=Severity.HIGH)
    shell = call.keywords.get("shell")
    streams = [call.keywords.get(name) for name in ("stdin", "stdout", "stderr")]
    if any(isinstance(stream, Ref) and "socket" in stream.name for stream in streams):
        call.act.add("reverse-shell")
    environment = call.keywords.get("env")
    if isinstance(environment, dict) and "LD_PRELOAD" in environment:
        call.act.add("preload")
    program = call.keywords.get("executable")
    if isinstance(program, str) and isinstance(command, list | tuple) and shell is not True:
        command = [program, *command[1:]]
    fed.note_interpreter(call, command)
    if shell is True or (shell is not None and shell is not False and isinstance(command, str)):
        return shell_text(call, command[0] if isinstance(command, list | tuple) and command else command)
    return argument_list(call, command)


def _system(call: PythonCall) -> Any:
    if "popen" in call.name:
        fed.note_interpreter(call, call.argument(0, "cmd"))
    return shell_text(call, call.argument(0, "command" if "system" in call.name else "cmd"))


def _exec_list(call: PythonCall) -> Any:
    words = [value for value in call.arguments if not isinstance(value, dict)]
    if "os.spawn" in call.name and words:
        words = words[1:]
    if len(words) > 1 and isinstance(words[1], list | tuple):
        words = [words[0], *list(words[1])[1:]]
    elif len(words) > 1:
        words = [words[0], *words[2:]]
    return argument_list(call, words)


def _exec_async(call: PythonCall) -> Any:
    return argument_list(call, call.arguments)


def _spawn_terminal(call: PythonCall) -> Any:
    value = call.argument(0)
    words = list(value) if isinstance(value, list | tuple) else [value]
    if as_text(words[0]).rpartition("/")[2] in _SHELLS:
        call.act.add("reverse-shell", severity=Severity.HIGH)
    network.terminal(call)
    return argument_list(call, words)


def _main_pip(call: PythonCall) -> Any:
    words = call.argument(0)
    return argument_list(call, ["pip", *words] if isinstance(words, list | tuple) else ["pip", UNKNOWN])


def _named(call: PythonCall) -> Any:
    """A method such as `.system("…")` on an unknown object: judged only where its text is a command in the clear."""
    value = call.argument(0)
    if isinstance(value, str) and value and UNKNOWN not in value and SECRET not in value:
        return shell_text(call, value)
    return UNK


def _session_run(call: PythonCall) -> Any:
    """`session.run("…")` of nox: a program with its arguments."""
    if call.walker.report.path.rpartition("/")[2] == "noxfile.py" and call.arguments:
        return argument_list(call, call.arguments)
    return UNK


HANDLERS: Final = {
    **dict.fromkeys(
        (
            "os.system os.popen os.popen2 os.popen3 subprocess.getoutput subprocess.getstatusoutput "
            "asyncio.create_subprocess_shell asyncio.subprocess.create_subprocess_shell invoke.run "
            "fabric.api.local fabric.api.run fabric.api.sudo pexpect.run pexpect.spawn plumbum.local os.startfile "
            "sarge.run delegator.run invoke.Context().run invoke.context.Context().run fabric.Connection().run "
            "fabric.Connection().sudo fabric.Connection().local IPython.get_ipython().system platform.popen libc.system"
        ).split(),
        _system,
    ),
    **dict.fromkeys(
        (
            "subprocess.run",
            "subprocess.call",
            "subprocess.check_call",
            "subprocess.check_output",
            "subprocess.Popen",
            "trio.run_process",
            "anyio.run_process",
        ),
        _subprocess,
    ),
    **dict.fromkeys(
        (
            "os.execl os.execle os.execlp os.execlpe os.execv os.execve os.execvp os.execvpe os.spawnl os.spawnle "
            "os.spawnlp os.spawnlpe os.spawnv os.spawnve os.spawnvp os.spawnvpe os.posix_spawn os.posix_spawnp"
        ).split(),
        _exec_list,
    ),
    **dict.fromkeys(("asyncio.create_subprocess_exec", "sh.Command"), _exec_async),
    "pty.spawn": _spawn_terminal,
    "builtins.print": fed.print_into,
    **dict.fromkeys(
        ("pip.main", "pip._internal.main", "pip._internal.cli.main.main", "pip._internal.main.main"), _main_pip
    ),
    **dict.fromkeys(("subprocess().communicate", "subprocess().stdin.write", "subprocess().write"), fed.feed),
}
_COMMAND_METHODS: Final = (
    "system",
    "popen",
    "getoutput",
    "getstatusoutput",
    "exec_command",
    "check_output",
    "check_call",
    "Popen",
)
UNKNOWN_METHODS: Final = {
    **dict.fromkeys(_COMMAND_METHODS, _named),
    "communicate": fed.feed,
    **dict.fromkeys(("run", "run_always", "run_install"), _session_run),
}
