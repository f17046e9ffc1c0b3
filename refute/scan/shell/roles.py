"""What a command does with one of its words, by the role that a row gives it."""

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from refute.scan.core import effects as e
from refute.scan.core import hosts, paths, places
from refute.scan.core.symbols import DERIVED, DOWNLOAD, HOME, SECRET
from refute.scan.core.tables import Command
from refute.scan.rules import Language
from refute.scan.shell.options import Options
from refute.scan.shell.state import Call

_NO_ADDRESS: Final = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|:?\d+(?:/.*)?|:/.*|\S+=.*)\Z")
"""Words of a client that are a verb, a port of this machine or data."""
_REMOTE: Final = re.compile(r"(?:[^@/\s]+@)?(\[[^\]]+\]|[^:/.~\s][^:/\s]*):(?!//)|\w+://")
_HANDS_OVER: Final = frozenset({"upload", "send", "hand", "proxy"})
"""Roles of options with which a client hands something over, or asks another host than the address says."""


def listed_by(words: Iterable[str]) -> e.Effects:
    """The directories that words such as `/etc/*` list without a command for it."""
    for word in words:
        if word.endswith("/*") and word.startswith(("/", "~", HOME)):
            yield e.List(word[:-2] or "/")
    return None


def is_dangerous_operand(call: Call, argument: str) -> bool:
    """Whether an argument is dangerous for whichever command gets it."""
    if DERIVED in argument or DOWNLOAD in argument:
        return True
    if "://" in argument:
        return hosts.is_external_ip(hosts.host_of(argument) or "")
    if re.fullmatch(r"-[a-zA-Z]*(?:rf|fr)[a-zA-Z]*|--no-preserve-root", argument):
        return True
    target = call.locate(argument) if argument.startswith(("/", "~")) else None
    return target is not None and (places.is_place("credentials", target.text) or target.text == "/")


def in_role(call: Call, row: Command, role: str, value: str, options: Options) -> e.Effects:
    """What a command does with one word; comes back as what is read."""
    if role in _SIMPLE:
        yield _SIMPLE[role](value)
        return None
    return (yield from _ROLES[role](call, row, value, options)) if role in _ROLES else None


def _read(call: Call, _row: Command, value: str, _options: Options) -> e.Effects:
    return (yield e.Read(value, asks=call.silent))


def _search(call: Call, _row: Command, value: str, options: Options) -> e.Effects:
    if options.keys() & {"r", "R", "recursive"}:
        yield e.List(value)
    return (yield e.Read(value, asks=bool(options.keys() & {"q", "quiet", "silent"}) or call.silent))


def _edit(call: Call, row: Command, value: str, options: Options) -> e.Effects:
    if not any(name == "i" or name.startswith("in-place") for name in options):
        return (yield from _read(call, row, value, {}))
    yield e.Write(value)
    return None


def _list(call: Call, _row: Command, value: str, options: Options) -> e.Effects:
    # `ls -l /usr/bin/x` and `ls -d /` ask after one entry; only what is in a directory takes stock.
    alone = bool(options.keys() & {"d", "directory"}) and "*" not in value
    yield e.List(value, asks=alone or call.silent)
    return None


def _mode(call: Call, row: Command, value: str, _options: Options) -> e.Effects:
    yield e.ChangeMode(value, tightens=bool(row.tightens) and bool(re.match(row.tightens, call.text)))
    return None


def _tee(call: Call, _row: Command, value: str, options: Options) -> e.Effects:
    yield e.Write(value, call.stdin, appends=bool(options.keys() & {"a", "append"}))
    if SECRET in call.stdin:
        yield e.Flag("environment-dump")
    return None


def _hand(call: Call, _row: Command, value: str, _options: Options) -> e.Effects:
    yield e.Send((value, call.stdin))
    return None


def _upload(_call: Call, _row: Command, value: str, _options: Options) -> e.Effects:
    """`@file`, or the text itself."""
    path = value.partition("@")[2].split(";")[0] if "@" in value[:40] else ""
    content = (yield e.Read(path)) if path and path != "-" else ""
    yield e.Send((value, content))
    return None


def _send(_call: Call, _row: Command, value: str, _options: Options) -> e.Effects:
    yield e.List(value, asks=True)
    yield e.Send(((yield e.Read(value)),))
    return None


def _talk(call: Call, _row: Command, value: str, _options: Options) -> e.Effects:
    if "://" in value or not _NO_ADDRESS.match(value):
        yield e.Connect(hosts.host_of(value))
    yield e.Send((call.stdin, value))
    return None


def _fetch(call: Call, row: Command, value: str, options: Options) -> e.Effects:
    if value.startswith("file:"):
        yield e.Read(re.sub(r"^file:(//)?", "", value))
    elif "unix-socket" not in options:
        handed = any(row.options.get(name) in _HANDS_OVER for name in options)
        yield e.Connect(hosts.host_of(value) or None, fetches=not handed)
    yield e.Send((call.stdin, value))
    return None


def _remote(call: Call, row: Command, value: str, options: Options) -> e.Effects:
    """The source of a copy from or to another machine."""
    if _REMOTE.match(value):
        return (yield from _talk(call, row, value, options))
    yield e.List(value, asks=call.argv[0] == "scp" and "r" not in options)
    return (yield e.Read(value))


def _target(call: Call, row: Command, value: str, options: Options) -> e.Effects:
    if _REMOTE.match(value):
        yield from _talk(call, row, value, options)
    else:
        yield e.Write(value)
    return None


def _wipe(call: Call, _row: Command, value: str, _options: Options) -> e.Effects:
    if call.locate(value).place in paths.ELSEWHERE:
        yield e.Flag("device-write", detail="Destroys data beyond recovery.")
    return None


def _delete(_call: Call, _row: Command, value: str, options: Options) -> e.Effects:
    yield e.Delete(value, recursive=bool(options.keys() & {"r", "R", "recursive"}))
    return None


_ROLES: Final[Mapping[str, Callable[[Call, Command, str, Options], e.Effects]]] = MappingProxyType(
    {
        "read": _read,
        "search": _search,
        "edit": _edit,
        "list": _list,
        "mode": _mode,
        "tee": _tee,
        "hand": _hand,
        "text": _hand,
        "upload": _upload,
        "send": _send,
        "connect": _talk,
        "fetch": _fetch,
        "url": _talk,
        "remote": _remote,
        "target": _target,
        "wipe": _wipe,
        "delete": _delete,
    }
)
_SIMPLE: Final[Mapping[str, Callable[[str], e.Effect]]] = MappingProxyType(
    {
        "write": e.Write,
        "out": lambda path: e.Write(path, DOWNLOAD),
        "mkdir": e.MakeDirectory,
        "tree": lambda path: e.Delete(path, recursive=True),
        "rmdir": lambda path: e.Delete(path, empty=True),
        "eval": lambda text: e.Eval(Language.SHELL, text),
        "python": lambda text: e.Eval(Language.PYTHON, text),
        "start-python": lambda text: e.Run(("python", *text.split())),
        "proxy": lambda host: e.Connect(hosts.host_of(host)),
        "run": e.RunFile,
        "tests": lambda path: e.Reach(path.partition("::")[0], "tests"),
        "module": lambda name: e.Reach(name.removesuffix(".py").replace(".", "/") + ".py", Language.PYTHON),
    }
)
"""Roles that need nothing but the word."""
