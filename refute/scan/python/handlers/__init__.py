"""The calls whose effects a row of the tables cannot say, and methods whose name alone is telling."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

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
_COMMAND_METHODS: Final = frozenset(
    {"system", "popen", "getoutput", "getstatusoutput", "exec_command", "check_output", "check_call", "Popen"}
)


def effects_of(call: Call) -> e.Effects | None:
    """What a call does, by its dotted name; None where nothing is known about it."""
    row = row_of(call.name, call.walker.report.knowledge)
    if row is not None:
        handler = _HANDLERS.get(row.handler)
        return handler(call, row) if handler is not None else _by_row(call, row)
    return unknown_method(call, call.name.rpartition(".")[2]) if ")." in call.name else None


def unknown_method(call: Call, name: str) -> e.Effects | None:
    """What a method does whose name alone is telling, on an object about which nothing is known."""
    if name in _COMMAND_METHODS:
        return programs.named(call)
    if name == "communicate":
        return programs.feed(call, Command(names=()))
    if name in {"run", "run_always", "run_install"}:
        return programs.session_run(call)
    return network.unknown_page(call) if name == "goto" else None


def _by_row(call: Call, row: Command) -> e.Effects:
    text = ", ".join(as_text(value) for value in call.texts())
    when = next((one for one in row.when if one.fits(text)), None)
    if when is not None and when.flag:
        yield e.Flag(when.flag, when.mild, when.detail)
    roles = [*zip(row.operands, call.arguments, strict=False)]
    roles += [(role, call.keywords[name]) for name, role in row.options.items() if name in call.keywords]
    for role, value in roles:
        for one in value if isinstance(value, list | tuple) and role == "read" else [value]:
            if isinstance(one, str | bytes | PathValue | FileValue) or role in {"delete", "tree"}:
                yield from _in_role(role, as_text(one))
    if row.prints == "download":
        return DOWNLOAD
    return call.argument(1, "dst") if row.operands[1:] == ("write",) else Ref(f"{call.name}()") if not roles else UNK


def _in_role(role: str, text: str) -> e.Effects:
    match role:
        case "read":
            yield e.Read(text)
        case "move":
            yield e.Delete(text)
            yield e.Read(text)
        case "write":
            yield e.Write(text)
        case "list":
            yield e.List(text)
        case "delete" | "tree":
            yield e.Delete(text, role == "tree")
        case "mode":
            yield e.ChangeMode(text)
        case "eval" | "python":
            yield e.Eval(Language.SHELL if role == "eval" else Language.PYTHON, text)
        case "connect" | "url":
            yield e.Connect(hosts.host_of(text))
        case "run":
            yield e.RunFile(text, Language.PYTHON)
