"""Python calls that evaluate, load or look up code, or hand a callable on: what they stand for is worked out."""

from typing import Any, Final

from refute.scan.core.effects import Effects, Eval, Flag, Read
from refute.scan.core.symbols import DERIVED, DOWNLOAD, SECRET, UNKNOWN, is_open
from refute.scan.python.folding import pure_call
from refute.scan.python.members import POWERFUL, canonical, iterated, member
from refute.scan.python.state import Call
from refute.scan.python.values import MAX_ITEMS, UNK, Class, Ref, as_text, choose, is_text, options_of
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
    elif not (isinstance(value, Ref) and value.name.startswith("pickle.dumps")):
        known = isinstance(value, bytes | str) and not is_open(text)
        hidden = any(symbol in text for symbol in (DOWNLOAD, DERIVED, SECRET))
        yield Flag("unsafe-load", mild=not (known or hidden))
        return Ref(f"{call.name}()")
    return UNK


def _at_exit(call: Call) -> Effects:
    """What runs when the process ends: ending it there, past its exit status, hides failed tests."""
    yield from ()
    facts, target = call.walker.facts, options_of(call.argument(0))[0]
    facts.add("at exit")
    call.walker.call(target, call.arguments[1:], {}, call.node)
    facts.discard("at exit")
    return UNK


def _exit(call: Call) -> Effects:
    last = "at exit" in call.walker.facts
    detail = "Replaces the exit status of the run." if last else "Ends the process past every check."
    yield Flag("test-tampering", mild=not last, detail=detail)
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
    if isinstance(name := call.argument(1), str):
        call.walker.assign(call.argument(0), name, call.argument(2), call.node)
    return UNK


def _names(call: Call) -> Effects:
    owner = call.argument(0)
    if isinstance(owner, Ref) and owner.name in _RUNS_ANYTHING:
        yield Flag("dynamic-name", mild=True, detail="It looks through all names of the module.")
    if call.last == "vars" and isinstance(owner, Ref | Class):
        return Ref(f"{owner.name}.__dict__") if isinstance(owner, Ref) else owner.names
    return UNK if call.arguments else Ref("globals()")


def _higher_order(call: Call) -> Effects:
    yield from ()
    walker, folds = call.walker, call.last == "reduce"
    (target, *rest), items = call.arguments or [UNK], iterated(call.argument(1))
    if not isinstance(items, list) or len(items) > MAX_ITEMS:
        return UNK if folds else walker.call(target, [UNK], {}, call.node) and UNK
    if not folds:
        return [walker.call(options_of(target)[0], [item], {}, call.node) for item in items]
    total, *items = [*rest[1:2], *items] or [UNK]
    for item in items:
        total = walker.call(target, [total, item], {}, call.node)
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
    if environment:
        return Ref("os.environ.copy()") if name == "dict" else SECRET
    if name == "dict" and not call.arguments:
        return dict(call.keywords)
    if name in {"str", "repr"} and is_text(value):
        return as_text(value)
    return pure_call(f"builtins.{name}", call.arguments, call.keywords)


HANDLERS: Final = {
    "load": _load,
    "at_exit": _at_exit,
    "exit": _exit,
    "import": _import,
    "getattr": _getattr,
    "setattr": _setattr,
    "names": _names,
    "higher_order": _higher_order,
    "convert": _convert,
}
