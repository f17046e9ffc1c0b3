"""Python calls that run, load or unpack code."""

import ast
import doctest
import pickletools
from contextlib import suppress
from typing import Any, Final

from refute.python_syntax import parse_python
from refute.scan.core.effects import Effects, Eval, Flag, Read, RunFile
from refute.scan.core.symbols import DERIVED, DOWNLOAD, SECRET, is_open
from refute.scan.core.tables import Command
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, FileValue, Function, PathValue, Ref, as_text, options_of
from refute.scan.rules import Language

_HARMLESS: Final = ("copyreg", "copy_reg", "collections", "datetime", "decimal", "fractions", "time", "uuid", "array")
"""Modules from which unpickling may take something."""


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


def _doctests(call: Call, _row: Command) -> Effects:
    """The examples of a text, or of the module's functions."""
    given = call.argument(0)
    held = [given] if given is not UNK else call.walker.functions
    nodes = [one.node for one in held if isinstance(one, Function) and not isinstance(one.node, ast.Lambda)]
    texts = [given] if isinstance(given, str) else [ast.get_docstring(node) or "" for node in nodes]
    if given is UNK:
        texts.append(as_text(call.walker.lookup("__doc__") or ""))
    for text in texts:
        yield from _text(call, "".join(_examples(text)))
    return UNK


def _examples(text: str) -> list[str]:
    """The examples of a text that Python can read; the others end in an error of their own."""
    found: list[str] = []
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return [text]
    for example in examples:
        with suppress(SyntaxError, ValueError):
            parse_python(example.source)
            found.append(example.source)
    return found


def _source_of(call: Call, _row: Command) -> Effects:
    yield from ()
    return call.argument(0, "source")


def _code_object(call: Call, _row: Command) -> Effects:
    literal = any(isinstance(argument, bytes) for argument in call.arguments)
    yield Flag("dynamic-code", mild=not literal, detail="Builds code from bytes.")
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


def _load(call: Call, _row: Command) -> Effects:
    if call.name == "numpy.load" and call.keywords.get("allow_pickle") is not True:
        yield Read(call.text(0, "file"))
        return UNK
    value = call.argument(0)
    text = as_text(value)
    harmless = isinstance(value, Ref) and value.name.startswith("pickle.dumps")
    if harmless or (isinstance(value, bytes) and call.name.startswith("pickle.") and not _pickle_calls(value)):
        return UNK
    known = isinstance(value, bytes | str) and not is_open(text)
    hidden = any(symbol in text for symbol in (DOWNLOAD, DERIVED, SECRET))
    detail = "The data is hidden." if text in call.walker.decoded else ""
    yield Flag("unsafe-load", mild=not (known or hidden), detail=detail)
    return Ref(f"{call.name}()")


def _pickle_calls(data: bytes) -> bool:
    """Whether unpickling would call anything by name, or the data is no pickle that can be read."""
    texts: list[str] = []
    try:
        for opcode, argument, _ in pickletools.genops(data):
            texts.append(argument if isinstance(argument, str) else "")
            if opcode.name in {"GLOBAL", "INST", "STACK_GLOBAL"}:
                module = argument if opcode.name != "STACK_GLOBAL" else "".join(texts[-4:-1])
                if not str(module).startswith(_HARMLESS):
                    return True
    except Exception:  # noqa: BLE001 - hostile bytes
        return True
    return False


def _yaml(call: Call, _row: Command) -> Effects:
    loader = call.argument(1, "Loader")
    tagged = "!!python" in call.text(0)
    if isinstance(loader, Ref) and loader.name.rpartition(".")[2] in {"UnsafeLoader", "Loader", "FullLoader"}:
        yield Flag("unsafe-load", mild=not (loader.name.endswith("UnsafeLoader") or tagged))
    elif tagged:
        yield Flag("unsafe-load")
    return UNK


def _library(call: Call, _row: Command) -> Effects:
    yield Flag("native-code", mild=DERIVED not in call.text(0, "name"))
    return Ref("library()")


HANDLERS: Final = {
    "evaluate": _evaluate,
    "run_file": _run_file,
    "doctests": _doctests,
    "source_of": _source_of,
    "code_object": _code_object,
    "at_exit": _at_exit,
    "load": _load,
    "yaml": _yaml,
    "library": _library,
}
