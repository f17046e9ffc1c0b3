"""The calls whose effects a row of the tables cannot say, and methods whose name alone is telling."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from refute.scan.core import effects as e
from refute.scan.core import hosts
from refute.scan.core.symbols import DOWNLOAD
from refute.scan.core.tables import Command
from refute.scan.python.handlers import code, files, lookups, network, programs
from refute.scan.python.state import Call, row_of
from refute.scan.python.values import UNK, FileValue, PathValue, Ref, as_text
from refute.scan.rules import Language

_HANDLERS: Mapping[str, Callable[[Call, Command], e.Effects]] = MappingProxyType(
    {**files.HANDLERS, **network.HANDLERS, **programs.HANDLERS, **code.HANDLERS, **lookups.HANDLERS}
)


def effects_of(call: Call) -> e.Effects | None:
    """What a call does, by its dotted name; None where nothing is known about it."""
    row = row_of(call.name, call.walker.report.knowledge)
    if row is None:
        return None
    handler = _HANDLERS.get(row.handler)
    return handler(call, row) if handler is not None else _by_row(call, row)


def _by_row(call: Call, row: Command) -> e.Effects:
    text = ", ".join(value.name if isinstance(value, Ref) else as_text(value) for value in call.texts())
    when = next((one for one in row.when if one.fits(text)), None)
    if when is not None and when.flag:
        yield e.Flag(when.flag, when.mild, when.detail)
    roles = [*zip(row.operands, call.arguments, strict=False)]
    roles += [(role, call.keywords[name]) for name, role in row.options.items() if name in call.keywords]
    for role, value in roles:
        for one in _several(value) if role in {"read", "host"} else [value]:
            yield from _in_role(call, role, one)
    match row.prints:
        case "download":
            return Ref("download()")
        case "received":
            return DOWNLOAD
        case "pair":
            return (Ref("socket.socket()"), UNK)
        case "first":
            return call.argument(0)
        case "object":
            return Ref(f"{call.name}()")
    return call.argument(1, "dst") if row.operands[1:] == ("write",) else Ref(f"{call.name}()") if not roles else UNK


def _several(value: Any) -> list[Any]:
    return list(value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value])


def _in_role(call: Call, role: str, value: Any) -> e.Effects:
    text = as_text(value)
    if role == "url":
        yield from network.connect(call, value)
    elif role == "text":
        yield from network.sends(call)
    elif role in {"delete", "tree"}:
        yield e.Delete(text, role == "tree")
    elif role == "location":
        if isinstance(value, str) and re.match(r"[\w+.-]+://", value):
            yield from network.connect(call, value)
        elif isinstance(value, str | PathValue):
            yield e.Read(text)
    elif role == "lookup":
        if hosts.reach_of(text) == hosts.Reach.EXTERNAL:
            yield e.Connect(text)
    elif isinstance(value, str | bytes | PathValue | FileValue):
        yield from (made(text) for made in _SIMPLE.get(role, ()))


_SIMPLE: Final[Mapping[str, tuple[Callable[[str], e.Effect], ...]]] = MappingProxyType(
    {
        "read": (e.Read,),
        "move": (e.Delete, e.Read),
        "write": (e.Write,),
        "out": (lambda path: e.Write(path, DOWNLOAD),),
        "list": (e.List,),
        "mode": (e.ChangeMode,),
        "eval": (lambda text: e.Eval(Language.SHELL, text),),
        "python": (lambda text: e.Eval(Language.PYTHON, text),),
        "host": (lambda text: e.Connect(hosts.host_of(text)),),
        "connect": (lambda text: e.Connect(hosts.host_of(text)),),
        "run": (lambda path: e.RunFile(path, Language.PYTHON),),
    }
)
"""Roles that need nothing but the word."""
