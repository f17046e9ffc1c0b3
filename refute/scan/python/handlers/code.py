"""Python calls that run, load or unpack code."""

import ast
from typing import Any, Final

from refute.python_syntax import parse_python
from refute.scan.core.effects import Effects, Eval, Flag, Read, RunFile
from refute.scan.core.symbols import DERIVED, DOWNLOAD, SECRET, is_open
from refute.scan.core.tables import Command
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, FileValue, PathValue, Ref, as_text, options_of
from refute.scan.rules import Language


def _evaluate(call: Call, _row: Command) -> Effects:
    """`exec`, `eval`, `compile` and the like: Python text that is evaluated."""
    value = call.argument(0, "source")
    for option in options_of(value):
        if isinstance(option, str | bytes):
            yield from _text(call, as_text(option))
        elif isinstance(option, Ref) and option.name.startswith(("marshal.", "types.CodeType")):
            yield Flag("decoded-execution")
        elif option is not None:
            yield Flag("dynamic-code", mild=True)
    if call.name == "builtins.compile" and isinstance(value, str | bytes):
        return value if call.argument(2, "mode") in {"exec", "eval", "single"} else UNK
    return _result(call, value) if call.name == "builtins.eval" and isinstance(value, str) else UNK


def _text(call: Call, text: str) -> Effects:
    if any(hidden and hidden in text for hidden in call.walker.decoded if len(hidden) > 3):  # noqa: PLR2004
        yield Flag("decoded-execution")
    if text.strip():
        yield Eval(Language.PYTHON, text)


def _result(call: Call, text: str) -> Any:
    """What an expression yields that is evaluated."""
    if is_open(text) or len(text) > 2000 or call.walker.depth > 5:  # noqa: PLR2004
        return UNK
    try:
        return call.walker.value(parse_python(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return UNK


def _run_file(call: Call, _row: Command) -> Effects:
    second = "spec_from" in call.name or "Loader" in call.name or "load_source" in call.name
    path = call.argument(1, "location" if "spec" in call.name else "path") if second else call.argument(0)
    if isinstance(path, str | PathValue | FileValue) and not is_open(as_text(path)):
        yield RunFile(as_text(path), Language.PYTHON)
    return Ref(f"{call.name}()") if second else UNK


def _load(call: Call, _row: Command) -> Effects:
    if call.name == "numpy.load" and call.keywords.get("allow_pickle") is not True:
        yield Read(call.text(0, "file"))
        return UNK
    value = call.argument(0)
    text = as_text(value)
    if isinstance(value, Ref) and value.name.startswith("pickle.dumps"):
        return UNK
    known = isinstance(value, bytes | str) and not is_open(text)
    hidden = any(symbol in text for symbol in (DOWNLOAD, DERIVED, SECRET))
    detail = "The data is hidden." if text in call.walker.decoded else ""
    yield Flag("unsafe-load", mild=not (known or hidden), detail=detail)
    return Ref(f"{call.name}()")


def _at_exit(call: Call, _row: Command) -> Effects:
    """What runs when the process ends: ending it there, past its exit status, hides failed tests."""
    target = call.argument(0)
    body = getattr(target, "node", None) or call.node
    ends = any(isinstance(node, ast.Attribute) and node.attr == "_exit" for node in ast.walk(body))
    if ends or target == Ref("os._exit"):
        yield Flag("test-tampering", detail="Replaces the exit status of the run.")
    for option in options_of(target)[:1]:
        call.walker.call(option, list(call.arguments[1:]), {}, call.node)
    return UNK


HANDLERS: Final = {
    "at_exit": _at_exit,
    "evaluate": _evaluate,
    "run_file": _run_file,
    "load": _load,
}
