"""Python calls that look something up by name, or hand a callable on: what they stand for is worked out."""

import ast
from typing import Any, Final

from refute.scan.core.effects import Effects, Flag
from refute.scan.core.symbols import DERIVED, SECRET, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.python import folding, names
from refute.scan.python.assigning import assign_attribute
from refute.scan.python.imports import canonical, member
from refute.scan.python.state import Call
from refute.scan.python.values import (
    UNK,
    Choice,
    Class,
    FileValue,
    Instance,
    Partial,
    PathValue,
    Ref,
    as_text,
    options_of,
)

_RUNS_ANYTHING: Final = frozenset({"os", "subprocess", "builtins", "pty"})
_MAX_ITEMS: Final = 4096
"""Enough for any hidden text."""


def _import(call: Call, _row: Command) -> Effects:
    value = call.argument(0, "name")
    if "resolve_name" in call.name and isinstance(value, str) and value and not is_open(value):
        return member(value.replace(":", "."))
    found = []
    for option in options_of(value):
        if isinstance(option, str) and not is_open(option) and option:
            whole = "import_module" in call.name or call.argument(3, "fromlist") is not UNK
            found.append(Ref(canonical(option if whole else option.partition(".")[0])))
        else:
            hidden = isinstance(option, str) and DERIVED in option
            yield Flag("dynamic-name", mild=not hidden, detail="The module's name is only known at run time.")
            found.append(Ref("?import"))
    return Choice(tuple(found)) if len(found) > 1 else found[0]


def _look_up(call: Call, _row: Command) -> Effects:
    owner, name = call.argument(0), call.name.rpartition(".")[2]
    match name:
        case "getattr" | "getattr_static":
            return (yield from _getattr(call, owner, call.argument(1)))
        case "setattr":
            _setattr(call, owner, call.argument(1), call.argument(2))
        case "vars" | "dir" | "getmembers" | "getmembers_static":
            if isinstance(owner, Ref) and owner.name in _RUNS_ANYTHING:
                yield Flag("dynamic-name", mild=True, detail="It looks through all names of the module.")
            return _vars(call, owner) if name == "vars" else UNK
        case "globals" | "locals":
            return Ref("globals()")
    return UNK


def _getattr(call: Call, owner: Any, name: Any) -> Effects:
    if isinstance(name, str) and not is_open(name):
        return names.attribute(call.walker, owner, name, call.node)
    if isinstance(owner, Ref) and owner.name in names.POWERFUL:
        yield Flag("dynamic-name", mild=not isinstance(name, str))
        return Ref(f"?{owner.name}.{UNKNOWN}")
    return UNK


def _setattr(call: Call, owner: Any, name: Any, value: Any) -> None:
    if isinstance(name, str) and isinstance(call.node, ast.Call):
        made = ast.Attribute(value=ast.Name(id="_", ctx=ast.Load()), attr=name, ctx=ast.Store())
        assign_attribute(call.walker, owner, ast.copy_location(made, call.node), value)


def _vars(call: Call, owner: Any) -> Any:
    if isinstance(owner, Ref):
        return Ref(f"{owner.name}.__dict__")
    if isinstance(owner, Instance | Class):
        return names.attribute(call.walker, owner, "__dict__", call.node)
    return Ref("globals()") if owner is UNK and not call.arguments else UNK


def _higher_order(call: Call, _row: Command) -> Effects:
    yield from ()
    target, items = call.argument(0), names.iterated(call.argument(1))
    name = call.name.rpartition(".")[2]
    if name == "partial":
        return Partial(target, tuple(call.arguments[1:])) if call.arguments else UNK
    if not isinstance(items, list) or len(items) > _MAX_ITEMS:
        return UNK if name == "reduce" else call.walker.call(target, [UNK], {}, call.node) and UNK
    if name != "reduce":
        return [call.walker.call(one, [item], {}, call.node) for item in items for one in options_of(target)[:1]]
    items = [*call.arguments[2:3], *items]
    total = items[0] if items else UNK
    for item in items[1:]:
        total = call.walker.call(target, [total, item], {}, call.node)
    return total


def _convert(call: Call, _row: Command) -> Effects:
    """Calls that turn one value into another, and may carry the environment along."""
    value, name = call.argument(0), call.name.rpartition(".")[2]
    environment = isinstance(value, Ref) and value.name.startswith("os.environ")
    if "dump" in name and not name.endswith("s"):
        if environment:
            # Nobody needs the whole environment in a file.
            yield Flag("environment-dump")
        return UNK
    if name == "dict":
        pure = folding.pure_call("builtins.dict", call.arguments, call.keywords)
        return Ref("os.environ.copy()") if environment else pure if call.arguments else dict(call.keywords)
    if environment:
        return SECRET
    if name in {"str", "repr"}:
        shown = isinstance(value, str | PathValue | FileValue)
        return as_text(value) if shown else folding.pure_call("builtins.str", call.arguments, call.keywords)
    return UNK


HANDLERS: Final = {
    "import": _import,
    "look_up": _look_up,
    "higher_order": _higher_order,
    "convert": _convert,
}
