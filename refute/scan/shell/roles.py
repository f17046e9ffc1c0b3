"""What a command does with one of its words, by the role that a row gives it."""

import re
from collections.abc import Iterable
from typing import Final

from refute.scan.core import effects as e
from refute.scan.core import hosts, paths
from refute.scan.core.symbols import DERIVED, DOWNLOAD, HOME, SECRET, UNKNOWN
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell.state import Call, Options

_NO_ADDRESS: Final = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|:?\d+(?:/.*)?|:/.*|\S+=.*)\Z")
"""Words of a client that are a verb, a port of this machine or data."""
_REMOTE: Final = re.compile(r"(?:[^@/\s]+@)?(\[[^\]]+\]|[^:/.~\s][^:/\s]*):(?!//)|\w+://")
_HANDS_OVER: Final = frozenset({"upload", "send", "hand", "proxy"})
"""Roles of options with which a client hands something over, or asks another host than the address says."""
_FILLED_IN: Final = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]")
"""Where `sprintf` puts a value that is not known."""
_RECURSIVE: Final = frozenset({"r", "R", "recursive"})
_QUIET: Final = frozenset({"q", "quiet", "silent"})


def listed_by(call: Call, words: Iterable[str]) -> e.Effects:
    """The directories that words such as `/etc/*` list without a command for it; in quotes they list none."""
    for word in words:
        if word in call.walker.shared.unquoted and word.endswith("/*") and word.startswith(("/", "~", HOME)):
            yield e.List(word[:-2] or "/")
    return None


def is_dangerous_operand(call: Call, argument: str) -> bool:
    """Whether an argument is dangerous for whichever command gets it."""
    if DERIVED in argument or DOWNLOAD in argument:
        return True
    if "://" in argument and "\n" not in argument:
        return hosts.is_external_ip(hosts.host_of(argument) or "")
    if re.fullmatch(r"-[a-zA-Z]*(?:rf|fr)[a-zA-Z]*|--no-preserve-root", argument):
        return True
    target = call.locate(argument) if argument.startswith(("/", "~")) else None
    return target is not None and (paths.is_place("credentials", target.text) or target.text == "/")


def in_role(call: Call, row: Command, role: str, value: str, options: Options) -> e.Effects:  # noqa: C901, PLR0912 - a case per role
    """What a command does with one word; comes back as what is read."""
    match role:
        case "read":
            return (yield e.Read(value, asks=call.silent))
        case "search":
            if options.keys() & _RECURSIVE:
                yield e.List(value)
            return (yield e.Read(value, asks=bool(options.keys() & _QUIET) or call.silent))
        case "edit" if not any(name == "i" or name.startswith("in-place") for name in options):
            return (yield e.Read(value, asks=call.silent))
        case "delete":
            yield e.Delete(value, recursive=bool(options.keys() & _RECURSIVE))
        case "rmdir":
            yield e.Delete(value, empty=True)
        case "edit" | "write":
            yield e.Write(value)
        case "out":
            yield e.Write(value, DOWNLOAD)
        case "tee":
            yield e.Write(value, call.stdin, appends=bool(options.keys() & {"a", "append"}))
            if SECRET in call.stdin:
                yield e.Flag("environment-dump")
        case "list":
            # `ls -l /usr/bin/x` and `ls -d /` ask after one entry; only what is in a directory takes stock.
            alone = bool(options.keys() & {"d", "directory"}) and "*" not in value
            yield e.List(value, asks=alone or call.silent)
        case "mode":
            yield e.ChangeMode(value, tightens=bool(row.tightens) and bool(re.match(row.tightens, call.text)))
        case "wipe":
            if call.locate(value).place in paths.ELSEWHERE:
                yield e.Flag("device-write", detail="Destroys data beyond recovery.")
        case "eval" | "format" | "start-python" | "tests" | "module" | "cd" | "word":
            return (yield from _run(call, role, value))
        case _:
            return (yield from _over_network(call, row, role, value, options))
    return None


def _run(call: Call, role: str, value: str) -> e.Effects:
    match role:
        case "eval":
            yield e.Eval(Language.SHELL, value)
        case "format":
            yield e.Eval(Language.SHELL, _FILLED_IN.sub(UNKNOWN, value))
        case "start-python":
            yield e.Run(("python", *value.split()))
        case "tests":
            yield e.Reach(value.partition("::")[0], "tests")
        case "module":
            yield e.Reach(value.removesuffix(".py").replace(".", "/") + ".py", Language.PYTHON)
        case "cd":
            call.scope.cwd = call.locate(value).text
            call.scope.variables["PWD"] = (call.scope.cwd,)
        case "word":
            return value + "\n"
    return None


def _over_network(call: Call, row: Command, role: str, value: str, options: Options) -> e.Effects:  # noqa: C901 - as above
    remote = bool(_REMOTE.match(value))
    match role:
        case "hand" | "text":
            yield e.Send((value, call.stdin))
        case "proxy":
            yield e.Connect(hosts.host_of(value))
        case "send":
            yield e.List(value, asks=True)
            yield e.Send(((yield e.Read(value)),))
        case "upload":
            # `@file`, or the text itself.
            path = value.partition("@")[2].split(";")[0] if "@" in value[:40] else ""
            content = (yield e.Read(path)) if path and path != "-" else ""
            yield e.Send((value, content))
        case "fetch":
            if value.startswith("file:"):
                yield e.Read(re.sub(r"^file:(//)?", "", value))
            elif "unix-socket" not in options:
                handed = any(row.options.get(name) in _HANDS_OVER for name in options)
                yield e.Connect(hosts.host_of(value) or None, fetches=not handed)
            yield e.Send((call.stdin, value))
        case "remote" if not remote:
            # The source of a copy from or to another machine.
            yield e.List(value, asks=call.argv[0] == "scp" and "r" not in options)
            return (yield e.Read(value))
        case "target" if not remote:
            yield e.Write(value)
        case "connect" | "url" | "remote" | "target":
            if "://" in value or not _NO_ADDRESS.match(value):
                yield e.Connect(hosts.host_of(value))
            yield e.Send((call.stdin, value))
    return None
