"""Commands that name the program which they start in an option or by a verb of their own."""

import shlex
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from refute.scan.shell.options import ASSIGNMENT, split_options

_DAEMON_OPTIONS: Final = frozenset(
    "exec startas name user pidfile pid ppid signal group chuid chroot chdir nicelevel procsched iosched umask".split()  # noqa: SIM905
)


def _daemon(rest: list[str]) -> list[str] | None:
    """`start-stop-daemon --start --exec PROGRAM -- ARGUMENTS`."""
    options, operands = split_options(rest, "xanupsgcrdNPIkR", _DAEMON_OPTIONS)
    programs = [value for name in ("startas", "a", "exec", "x") for value in options.get(name, [])]
    return [programs[0], *operands] if programs and not options.keys() & {"stop", "K"} else None


def _maven(rest: list[str]) -> list[str] | None:
    """`mvn exec:exec -Dexec.executable=PROGRAM -Dexec.args=ARGUMENTS`."""
    settings = dict(word[2:].partition("=")[::2] for word in rest if word.startswith("-D"))
    program = settings.get("exec.executable")
    try:
        return [program, *shlex.split(settings.get("exec.args", ""))] if program else None
    except ValueError:
        return [program or "", settings["exec.args"]]


def _cmake(rest: list[str]) -> list[str] | None:
    """The command that `cmake -E` runs, or is."""
    verb, words = "".join(rest[1:2]), rest[2:]
    if rest[:1] != ["-E"]:
        return None
    while verb == "env" and words and (words[0].startswith("--") or ASSIGNMENT.match(words[0])):
        words = words[1:]
    tools = {"remove": ["rm"], "remove_directory": ["rm", "-r"], "rm": ["rm"], "copy": ["cp"], "rename": ["mv"]}
    if verb in {"env", "time"}:
        return words
    return words[1:] if verb == "chdir" else [*tools[verb], *words] if verb in tools else None


STARTERS: Final[Mapping[str, Callable[[list[str]], list[str] | None]]] = MappingProxyType(
    {"start-stop-daemon": _daemon, "mvn": _maven, "mvnw": _maven, "cmake": _cmake}
)
"""Name → the started command's words in its arguments; None where it starts none."""
