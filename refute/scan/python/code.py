"""Python calls that evaluate, load or look up code, or hand a callable on: what they stand for is worked out."""

from typing import Any, Final

from refute.scan.core.effects import Effects, Eval, Flag
from refute.scan.core.symbols import DERIVED, UNKNOWN, is_open
from refute.scan.python.members import POWERFUL, canonical, iterated, member
from refute.scan.python.state import Call
from refute.scan.python.values import MAX_ITEMS, UNK, Class, Ref, as_text
from refute.scan.rules import Language


def evaluated(call: Call, value: Any) -> Effects:
    """Python text that `exec`, `eval`, `compile` and the like get."""
    text = as_text(value)
    if isinstance(value, str | bytes) and text.strip():
        yield Eval(Language.PYTHON, text)
    elif isinstance(value, Ref) and value.name.startswith(("marshal.", "types.CodeType")):
        yield Flag("decoded-execution")
    elif value is not None and not isinstance(value, str | bytes):
        yield Flag("dynamic-code", mild=True)
    compiles = call.name == "builtins.compile" and isinstance(value, str | bytes)
    return value if compiles and call.argument(2, "mode") in {"exec", "eval", "single"} else UNK


def _exit(call: Call) -> Effects:
    """Ending the process past every check: as the last thing that it does, it replaces the exit status."""
    facts = call.walker.facts
    if call.last == "register":
        facts.add("at exit")
        return None
    yield Flag("test-tampering", mild="at exit" not in facts, detail="Ends the process past every check.")
    return UNK


def _import(call: Call) -> Effects:
    name = call.argument(0, "name")
    if not isinstance(name, str) or is_open(name) or not name:
        hidden = isinstance(name, str) and DERIVED in name
        yield Flag("dynamic-name", mild=not hidden, detail="The module's name is only known at run time.")
        return Ref("?import")
    if "resolve_name" in call.name:
        return member(name.replace(":", "."))
    whole = "import_module" in call.name or call.argument(3, "fromlist") is not UNK
    return Ref(canonical(name if whole else name.partition(".")[0]))


def _getattr(call: Call) -> Effects:
    owner, name = call.argument(0), call.argument(1)
    if isinstance(name, str) and not is_open(name):
        return call.walker.attribute(owner, name, call.node)
    if isinstance(owner, Ref) and owner.name in POWERFUL:
        yield Flag("dynamic-name", mild=not isinstance(name, str))
        return Ref(f"?{owner.name}.{UNKNOWN}")
    return UNK


def _setattr(call: Call) -> Effects:
    yield from ()
    given = [Ref("os.environ"), *call.arguments] if call.last == "putenv" else call.arguments
    owner, name, value = [*given, UNK, UNK, UNK][:3]
    if isinstance(name, str):
        call.walker.assign(owner, name, value, call.node)
    return UNK


def _names(call: Call) -> Effects:
    yield from ()
    owner = call.argument(0)
    if isinstance(owner, Ref | Class):
        return Ref(f"{owner.name}.__dict__") if isinstance(owner, Ref) else owner.names
    return UNK if call.arguments else Ref("globals()")


def _over_all(call: Call) -> Effects:
    """`map`, `filter` and `reduce`."""
    yield from ()
    walker, target = call.walker, call.argument(0)
    items = iterated(call.argument(1))
    each = items if isinstance(items, list) and len(items) <= MAX_ITEMS else [UNK]
    if call.last == "reduce":
        total, *each = [*call.arguments[2:3], *each] or [UNK]
        for item in each:
            total = walker.call(target, [total, item], {}, call.node)
        return total
    found = [walker.call(target, [item], {}, call.node) for item in each]
    return found if each is items else UNK


HANDLERS: Final = {
    "exit": _exit,
    "import": _import,
    "getattr": _getattr,
    "setattr": _setattr,
    "names": _names,
    "over_all": _over_all,
}
