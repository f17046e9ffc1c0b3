"""From a row about a Python call, and the call's arguments as values, to its effects and to what it yields."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from refute.scan.core import effects as e
from refute.scan.core import hosts
from refute.scan.core.symbols import DOWNLOAD, OUTPUT, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.python import code, files, network, programs
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, Ref, as_text, is_text
from refute.scan.rules import Language

_HANDLERS: Final[Mapping[str, Callable[[Call], e.Effects]]] = MappingProxyType(
    {**files.HANDLERS, **network.HANDLERS, **programs.HANDLERS, **code.HANDLERS}
)
"""The calls whose effects a row cannot say."""


def effects_of(call: Call, row: Command) -> e.Effects:
    """What a call does; returns what it yields."""
    return _HANDLERS[row.handler](call) if row.handler else _by_row(call, row)


def _by_row(call: Call, row: Command) -> e.Effects:
    text = ", ".join(value.name if isinstance(value, Ref) else as_text(value) for value in call.values)
    when = next((one for one in row.when if one.fits(text)), None)
    if when is not None and when.flag:
        yield e.Flag(when.flag, when.mild, when.detail)
    roles = [*zip(row.operands, call.arguments, strict=False)]
    roles += [(role, call.keywords[name]) for name, role in row.options.items() if name in call.keywords]
    result: Any = UNK if roles else Ref(f"{call.name}()")
    for role, value in roles:
        for one in _several(value) if role in {"read", "host"} else [value]:
            found = (yield from _ROLES[role](call, one)) if role in _ROLES else None
            result = result if found is None or (role == "read" and not row.prints) else found
    match row.prints:
        case "content":
            return OUTPUT if result == UNKNOWN else result
        case "received":
            return DOWNLOAD
        case "pair":
            return (Ref("socket.socket()"), UNK)
        case "first":
            return call.argument(0)
        case "object":
            return Ref(f"{call.name}()")
    return call.argument(1, "dst", "target") if row.operands[1:] == ("write",) else result


def _several(value: Any) -> list[Any]:
    return list(value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value])


def _plain(*made: Callable[[str], e.Effect], vague: bool = False) -> Callable[[Call, Any], e.Effects]:
    """A role that needs nothing but the text; `vague`: whether a value that is not known counts too."""

    def effects(_call: Call, value: Any) -> e.Effects:
        yield from (one(as_text(value)) for one in made if vague or is_text(value))

    return effects


def _location(call: Call, value: Any) -> e.Effects:
    if isinstance(value, str) and re.match(r"[\w+.-]+://", value):
        yield from network.connect(call, value)
    elif is_text(value):
        yield e.Read(as_text(value))


def _run(_call: Call, value: Any) -> e.Effects:
    if is_text(value) and not is_open(as_text(value)):
        yield e.RunFile(as_text(value), Language.PYTHON)


def _lookup(_call: Call, value: Any) -> e.Effects:
    if hosts.reach_of(as_text(value)) == hosts.Reach.EXTERNAL:
        yield e.Connect(as_text(value))


def _read(_call: Call, value: Any) -> e.Effects:
    return (yield e.Read(as_text(value))) if is_text(value) else None


_ROLES: Final[Mapping[str, Callable[[Call, Any], e.Effects]]] = MappingProxyType(
    {
        "url": network.connect,
        "text": lambda call, _value: network.sends(call),
        "open": files.opened,
        "mode": files.mode_changed,
        "eval": programs.shell_text,
        "python": code.evaluated,
        "location": _location,
        "lookup": _lookup,
        "run": _run,
        "read": _read,
        "delete": _plain(e.Delete, vague=True),
        "tree": _plain(lambda path: e.Delete(path, recursive=True), vague=True),
        "move": _plain(e.Delete, e.Read),
        "write": _plain(e.Write),
        "out": _plain(lambda path: e.Write(path, DOWNLOAD)),
        "list": _plain(e.List),
        "host": _plain(lambda text: e.Connect(hosts.host_of(text))),
        "connect": _plain(lambda text: e.Connect(hosts.host_of(text))),
    }
)
"""What a call does with one argument; some return what comes of it."""
