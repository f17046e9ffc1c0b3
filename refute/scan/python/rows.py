"""From a row about a Python call, and the call's arguments as values, to its effects and to what it yields."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from refute.scan.core import effects as e
from refute.scan.core import hosts
from refute.scan.core.symbols import DOWNLOAD, OUTPUT, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.python.handlers import code, files, network, programs
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
            found = yield from _in_role(call, role, one)
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


def _in_role(call: Call, role: str, value: Any) -> e.Effects:
    """What a call does with one argument; returns what comes of it."""
    text = as_text(value)
    if role in _MADE:
        return (yield from _MADE[role](call, value))
    if role in _OF_TEXT and is_text(value):
        return (yield from _OF_TEXT[role](call, text))
    if role == "lookup" and hosts.reach_of(text) == hosts.Reach.EXTERNAL:
        yield e.Connect(text)
    elif role in {"delete", "tree"}:
        yield e.Delete(text, role == "tree")
    elif is_text(value):
        for made in _SIMPLE.get(role, ()):
            yield made(text)
    return None


def _location(call: Call, text: str) -> e.Effects:
    if re.match(r"[\w+.-]+://", text):
        yield from network.connect(call, text)
    else:
        yield e.Read(text)


def _run(_call: Call, text: str) -> e.Effects:
    if not is_open(text):
        yield e.RunFile(text, Language.PYTHON)


def _read(_call: Call, text: str) -> e.Effects:
    return (yield e.Read(text))


_MADE: Final[Mapping[str, Callable[[Call, Any], e.Effects]]] = MappingProxyType(
    {
        "url": network.connect,
        "text": lambda call, _value: network.sends(call),
        "open": files.opened,
        "eval": programs.shell_text,
        "python": code.evaluated,
    }
)
"""Roles that take any value."""
_OF_TEXT: Final[Mapping[str, Callable[[Call, str], e.Effects]]] = MappingProxyType(
    {
        "location": _location,
        "run": _run,
        "read": _read,
    }
)
_SIMPLE: Final[Mapping[str, tuple[Callable[[str], e.Effect], ...]]] = MappingProxyType(
    {
        "move": (e.Delete, e.Read),
        "write": (e.Write,),
        "out": (lambda path: e.Write(path, DOWNLOAD),),
        "list": (e.List,),
        "mode": (e.ChangeMode,),
        "host": (lambda text: e.Connect(hosts.host_of(text)),),
        "connect": (lambda text: e.Connect(hosts.host_of(text)),),
    }
)
"""Roles that need nothing but the text."""
