"""Python calls that evaluate, load or look up code, or hand a callable on: what they stand for is worked out."""

import ast
from typing import Any, Final

from refute.scan.core.effects import Effects, Eval, Flag, Read
from refute.scan.core.symbols import DERIVED, DOWNLOAD, SECRET, UNKNOWN, is_open
from refute.scan.python.folding import pure_call
from refute.scan.python.members import POWERFUL, canonical, iterated, member
from refute.scan.python.state import Call
from refute.scan.python.values import (
    MAX_ITEMS,
    UNK,
    Class,
    Instance,
    Ref,
    as_text,
    choose,
    is_text,
    options_of,
)
from refute.scan.rules import Language

_RUNS_ANYTHING: Final = frozenset({"os", "subprocess", "builtins", "pty"})


def evaluated(call: Call, value: Any) -> Effects:
    """Python text that `exec`, `eval`, `compile` and the like get."""
    for option in options_of(value):
        text = as_text(option)
        if isinstance(option, str | bytes) and text.strip():
            yield Eval(Language.PYTHON, text)
        elif isinstance(option, Ref) and option.name.startswith(("marshal.", "types.CodeType")):
            yield Flag("decoded-execution")
        elif option is not None and not isinstance(option, str | bytes):
            yield Flag("dynamic-code", mild=True)
    if call.name == "builtins.compile" and isinstance(value, str | bytes):
        return value if call.argument(2, "mode") in {"exec", "eval", "single"} else UNK
    return UNK


def _load(call: Call) -> Effects:
    value, text = call.argument(0), call.text(0, "file")
    if call.name == "numpy.load" and call.keywords.get("allow_pickle") is not True:
        yield Read(text)
        return UNK
    if isinstance(value, Ref) and value.name.startswith("pickle.dumps"):
        return UNK
    known = isinstance(value, bytes | str) and not is_open(text)
    hidden = any(symbol in text for symbol in (DOWNLOAD, DERIVED, SECRET))
    yield Flag("unsafe-load", mild=not (known or hidden))
    return Ref(f"{call.name}()")


def _at_exit(call: Call) -> Effects:
    """What runs when the process ends: ending it there, past its exit status, hides failed tests."""
    target = call.argument(0)
    body = getattr(target, "node", None) or call.node
    ends = any(isinstance(node, ast.Attribute) and node.attr == "_exit" for node in ast.walk(body))
    if ends or target == Ref("os._exit"):
        yield Flag("test-tampering", detail="Replaces the exit status of the run.")
    call.walker.call(options_of(target)[0], call.arguments[1:], {}, call.node)
    return UNK


def _import(call: Call) -> Effects:
    value = call.argument(0, "name")
    if "resolve_name" in call.name and isinstance(value, str) and value and not is_open(value):
        return member(value.replace(":", "."))
    found: list[Any] = []
    for option in options_of(value):
        if isinstance(option, str) and not is_open(option) and option:
            whole = "import_module" in call.name or call.argument(3, "fromlist") is not UNK
            found.append(Ref(canonical(option if whole else option.partition(".")[0])))
        else:
            hidden = isinstance(option, str) and DERIVED in option
            yield Flag("dynamic-name", mild=not hidden, detail="The module's name is only known at run time.")
            found.append(Ref("?import"))
    return choose(found)


def _look_up(call: Call) -> Effects:
    owner, name = call.argument(0), call.argument(1)
    match call.last:
        case "getattr" | "getattr_static":
            return (yield from _getattr(call, owner, name))
        case "setattr" if isinstance(name, str):
            call.walker.assign(owner, name, call.argument(2), call.node)
        case "vars" | "dir" | "getmembers" | "getmembers_static":
            if isinstance(owner, Ref) and owner.name in _RUNS_ANYTHING:
                yield Flag("dynamic-name", mild=True, detail="It looks through all names of the module.")
            return _vars(call, owner) if call.last == "vars" else UNK
        case "globals" | "locals":
            return Ref("globals()")
    return UNK


def _getattr(call: Call, owner: Any, name: Any) -> Effects:
    if isinstance(name, str) and not is_open(name):
        return call.walker.attribute(owner, name, call.node)
    if isinstance(owner, Ref) and owner.name in POWERFUL:
        yield Flag("dynamic-name", mild=not isinstance(name, str))
        return Ref(f"?{owner.name}.{UNKNOWN}")
    return UNK


def _vars(call: Call, owner: Any) -> Any:
    if isinstance(owner, Ref):
        return Ref(f"{owner.name}.__dict__")
    if isinstance(owner, Instance | Class):
        return call.walker.attribute(owner, "__dict__", call.node)
    return UNK if call.arguments else Ref("globals()")


def _higher_order(call: Call) -> Effects:
    yield from ()
    (target, *rest), items = call.arguments or [UNK], iterated(call.argument(1))
    if not isinstance(items, list) or len(items) > MAX_ITEMS:
        if call.last != "reduce":
            call.walker.call(target, [UNK], {}, call.node)
        return UNK
    if call.last != "reduce":
        return [call.walker.call(options_of(target)[0], [item], {}, call.node) for item in items]
    total, *items = [*rest[1:2], *items] or [UNK]
    for item in items:
        total = call.walker.call(target, [total, item], {}, call.node)
    return total


def _convert(call: Call) -> Effects:
    """Calls that turn one value into another, and may carry the environment along."""
    value, name = call.argument(0), call.last
    environment = isinstance(value, Ref) and value.name.startswith("os.environ")
    if name in {"dump", "safe_dump"}:
        if environment:
            # Nobody needs the whole environment in a file.
            yield Flag("environment-dump")
        return UNK
    if name == "dict":
        made = pure_call(call.name, call.arguments, call.keywords) if call.arguments else dict(call.keywords)
        return Ref("os.environ.copy()") if environment else made
    if environment:
        return SECRET
    if name in {"str", "repr"}:
        return as_text(value) if is_text(value) else pure_call("builtins.str", call.arguments, call.keywords)
    return UNK


HANDLERS: Final = {
    "load": _load,
    "at_exit": _at_exit,
    "import": _import,
    "look_up": _look_up,
    "higher_order": _higher_order,
    "convert": _convert,
}
