"""From a row about a Python call, and the call's arguments as values, to its effects and to what it yields."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from refute.scan.core import effects as e
from refute.scan.core import hosts, paths
from refute.scan.core.symbols import DERIVED, DOWNLOAD, OUTPUT, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.python import calls
from refute.scan.python.members import POWERFUL, canonical
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, Members, Ref, as_text, is_text, iterated
from refute.scan.rules import Language


def effects_of(call: Call, row: Command) -> e.Effects:
    """What a call does; returns what it yields, None where that is told by its name."""
    if row.handler:
        return (yield from _HANDLERS[row.handler](call))
    text = ", ".join(value.name if isinstance(value, Ref) else as_text(value) for value in call.values)
    when = next((one for one in row.when if re.match(one.args, text)), None)
    if when is not None and when.flag:
        yield e.Flag(when.flag, when.mild, when.detail)
    roles = [*zip(row.operands, call.arguments, strict=False)]
    roles += [(role, call.keywords[name]) for name, role in row.options.items() if name in call.keywords]
    result: Any = UNK if roles else None
    for role, value in roles:
        for one in _several(value) if role in {"read", "host"} else [value]:
            found = yield from _in_role(call, role, one)
            result = result if found is None or (role == "read" and not row.prints) else found
    first = call.argument(0)
    yields = {"received": DOWNLOAD, "pair": (Ref("socket.socket()"), UNK), "first": first, "object": None}
    yields["held"] = getattr(first, "content", UNK)
    if row.prints in yields:
        return yields[row.prints]
    if row.prints == "content" and result == UNKNOWN:
        return OUTPUT
    return call.argument(1, "dst", "target") if row.operands[1:] == ("write",) else result


def _several(value: Any) -> list[Any]:
    return list(value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value])


def _in_role(call: Call, role: str, value: Any) -> e.Effects:  # noqa: C901, PLR0911, PLR0912 - one branch per role
    """What a call does with one argument; comes back as what comes of it, None where that is nothing."""
    text = as_text(value)
    match role:
        case "open":
            return (yield from calls.opened(call, value))
        case "eval":
            return (yield from calls.shell_text(call, value))
        case "python":
            return (yield from _evaluated(call, value))
        case "text":
            yield from calls.sends(call)
        case "mode":
            yield from calls.mode_changed(call, value)
        case "cd":
            call.walker.cwd = paths.locate(text, call.walker.cwd).text
        case "delete" | "tree":
            yield e.Delete(text, recursive=role == "tree")
        case "url" | "read" if role == "url" or "://" in text:
            return (yield from calls.connect(call, value))
        case _ if not is_text(value):
            return None
        case "read":
            return (yield e.Read(text))
        case "list":
            yield e.List(text)
        case "send":
            yield e.Read(text)
            yield e.List(text)
        case "move":
            yield e.Delete(text)
            yield e.Read(text)
        case "write" | "out":
            yield e.Write(text, DOWNLOAD if role == "out" else None)
        case "host":
            yield e.Connect(hosts.host_of(text))
        case "run" if not is_open(text):
            yield e.RunFile(text, Language.PYTHON)
    return None


def _evaluated(call: Call, value: Any) -> e.Effects:
    """Python text that `exec`, `eval`, `compile` and the like get."""
    text = as_text(value)
    if isinstance(value, str | bytes) and text.strip():
        yield e.Eval(Language.PYTHON, text)
    elif isinstance(value, Ref) and value.name.startswith(("marshal.", "types.CodeType")):
        yield e.Flag("pipe-to-shell")
    elif value is not None and not isinstance(value, str | bytes):
        yield e.Flag("dynamic-code", mild=True)
    compiles = call.name == "builtins.compile" and isinstance(value, str | bytes)
    return value if compiles and call.argument(2, "mode") in ("exec", "eval", "single") else UNK


def _import(call: Call) -> e.Effects:
    name = call.argument(0, "name")
    if not isinstance(name, str) or is_open(name) or not name:
        hidden = isinstance(name, str) and DERIVED in name
        yield e.Flag("dynamic-code", mild=not hidden, detail="The module's name is only known at run time.")
        return Ref("?import")
    whole = "import_module" in call.name or call.argument(3, "fromlist") is not UNK
    return Ref(canonical(name if whole else name.partition(".")[0]))


def _look_up(call: Call) -> e.Effects:
    owner, name, value = [*call.arguments, UNK, UNK, UNK][:3]
    match call.last:
        case "vars" | "globals" | "locals":
            if isinstance(owner, Ref):
                return Ref(f"{owner.name}.__dict__")
            return owner if isinstance(owner, Members) else UNK if call.arguments else Ref("globals()")
        case "setattr" if isinstance(name, str):
            call.walker.assign(owner, name, value, call.node)
        case "getattr" | "getattr_static" if isinstance(name, str) and not is_open(name):
            return call.walker.attribute(owner, name, call.node)
        case "getattr" | "getattr_static" if isinstance(owner, Ref) and owner.name in POWERFUL:
            yield e.Flag("dynamic-code", mild=not isinstance(name, str))
            return Ref(f"?{owner.name}.{UNKNOWN}")
    return UNK


def _over_all(call: Call) -> e.Effects:
    """`map` and `filter`."""
    yield from ()
    walker, target, items = call.walker, call.argument(0), iterated(call.argument(1))
    each = items if isinstance(items, list) else [UNK]
    found = [walker.call(target, [item], {}, call.node) for item in each]
    return found if each is items else UNK


_HANDLERS: Final[Mapping[str, Callable[[Call], e.Effects]]] = MappingProxyType(
    {one.__name__.strip("_"): one for one in (*calls.HANDLERS, _import, _look_up, _over_all)}
)
"""The calls whose effects a row cannot say, by the name that a row gives."""
