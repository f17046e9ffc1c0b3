"""From a row about a Python call, and the call's arguments as values, to its effects and to what it yields."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from refute.scan.core import effects as e
from refute.scan.core import hosts
from refute.scan.core.symbols import DOWNLOAD, OUTPUT, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.python import code, outside, programs
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, Ref, as_text, is_text
from refute.scan.rules import Language

_HANDLERS: Final[Mapping[str, Callable[[Call], e.Effects]]] = MappingProxyType(
    {**outside.HANDLERS, **programs.HANDLERS, **code.HANDLERS}
)
"""The calls whose effects a row cannot say."""


def effects_of(call: Call, row: Command) -> e.Effects:
    """What a call does; returns what it yields, None where that is told by its name."""
    if row.handler:
        return (yield from _HANDLERS[row.handler](call))
    text = ", ".join(value.name if isinstance(value, Ref) else as_text(value) for value in call.values)
    when = next((one for one in row.when if one.fits(text)), None)
    if when is not None and when.flag:
        yield e.Flag(when.flag, when.mild, when.detail)
    roles = [*zip(row.operands, call.arguments, strict=False)]
    roles += [(role, call.keywords[name]) for name, role in row.options.items() if name in call.keywords]
    result: Any = UNK if roles else None
    for role, value in roles:
        for one in _several(value) if role in {"read", "host"} else [value]:
            found = (yield from _ROLES[role](call, one)) if role in _ROLES else None
            result = result if found is None or (role == "read" and not row.prints) else found
    yields = {"received": DOWNLOAD, "pair": (Ref("socket.socket()"), UNK), "first": call.argument(0), "object": None}
    if row.prints in yields:
        return yields[row.prints]
    if row.prints == "content" and result == UNKNOWN:
        return OUTPUT
    return call.argument(1, "dst", "target") if row.operands[1:] == ("write",) else result


def _several(value: Any) -> list[Any]:
    return list(value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value])


def _plain(*made: Callable[[str], e.Effect], vague: bool = False) -> Callable[[Call, Any], e.Effects]:
    """A role that needs nothing but the text; `vague`: whether a value that is not known counts too."""

    def effects(_call: Call, value: Any) -> e.Effects:
        yield from (one(as_text(value)) for one in made if vague or is_text(value))

    return effects


def _read(call: Call, value: Any) -> e.Effects:
    text = as_text(value)
    if "://" in text:
        return (yield from outside.connect(call, value))
    return (yield e.Read(text)) if is_text(value) else None


def _run(_call: Call, value: Any) -> e.Effects:
    if is_text(value) and not is_open(as_text(value)):
        yield e.RunFile(as_text(value), Language.PYTHON)


_ROLES: Final[Mapping[str, Callable[[Call, Any], e.Effects]]] = MappingProxyType(
    {
        "url": outside.connect,
        "text": lambda call, _value: outside.sends(call),
        "open": outside.opened,
        "mode": outside.mode_changed,
        "eval": programs.shell_text,
        "python": code.evaluated,
        "run": _run,
        "read": _read,
        "send": _plain(e.Read, e.List),
        "delete": _plain(e.Delete, vague=True),
        "tree": _plain(lambda path: e.Delete(path, recursive=True), vague=True),
        "move": _plain(e.Delete, e.Read),
        "write": _plain(e.Write),
        "out": _plain(lambda path: e.Write(path, DOWNLOAD)),
        "list": _plain(e.List),
        "host": _plain(lambda text: e.Connect(hosts.host_of(text))),
    }
)
"""What a call does with one argument; some return what comes of it."""
