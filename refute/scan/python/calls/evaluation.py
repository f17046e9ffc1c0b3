"""Python calls that evaluate text as code."""

# ruff: noqa: SIM905 - long tables of names read best as words

import ast
import doctest
from contextlib import suppress
from typing import Any, Final

from refute.python_syntax import parse_python
from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.python.call import PythonCall
from refute.scan.python.values import (
    UNK,
    FileValue,
    Function,
    PathValue,
    Ref,
    as_text,
    options_of,
)
from refute.scan.symbols import DERIVED, DOWNLOAD, HOST_DATA, OUTPUT, UNKNOWN, is_open

_MAX_NESTING: Final = 6


def run_python(call: PythonCall, value: Any) -> Any:
    """Judge Python text that is evaluated."""
    for option in options_of(value):
        if isinstance(option, ast.AST | Ref | Function) or option is None:
            _computed(call, option)
            continue
        text = as_text(option)
        if DOWNLOAD in text:
            call.act.add("pipe-to-shell", detail="What it evaluates comes over the network.")
        elif DERIVED in text:
            call.act.add("decoded-execution")
        elif HOST_DATA in text:
            call.act.add("dynamic-code", detail="Runs a file from outside the workspace.")
        elif isinstance(option, str | bytes) and not text.strip():
            continue
        elif not isinstance(option, str | bytes) or not text.strip(UNKNOWN + OUTPUT + " \n()"):
            # What a person or caller hands in is a command; a file of the workspace or a parameter is not yet one.
            outside = UNKNOWN in text
            call.act.add("dynamic-code", severity=None if outside else Severity.MEDIUM)
        else:
            _evaluate(call, text)
    return UNK


def _computed(call: PythonCall, option: Any) -> None:
    if isinstance(option, Ref) and option.name.startswith(("marshal.", "types.CodeType")):
        call.act.add("decoded-execution")
    elif option is not None:
        call.act.add("dynamic-code", severity=Severity.MEDIUM)


def _evaluate(call: PythonCall, text: str) -> None:
    from refute.scan.python import scan_nested  # noqa: PLC0415 - the entry point needs this module

    walker = call.walker
    if any(hidden and hidden in text for hidden in walker.decoded if len(hidden) > 3):  # noqa: PLR2004 - shorter ones say nothing
        call.act.add("decoded-execution")
    if walker.depth >= _MAX_NESTING:
        walker.report.add("unanalysable", walker.spot(call.node), "nested too deeply")
    else:
        scan_nested(walker, text, call.node)


def _exec(call: PythonCall) -> Any:
    return run_python(call, call.argument(0))


def _eval(call: PythonCall) -> Any:
    value = call.argument(0)
    if isinstance(value, str) and not is_open(value):
        try:
            tree = parse_python(value.strip(), mode="eval")
        except (SyntaxError, ValueError):
            return run_python(call, value)
        _evaluate(call, value)
        return call.walker.value(tree.body) if len(value) < 2000 and call.walker.depth < _MAX_NESTING else UNK  # noqa: PLR2004
    return run_python(call, value)


def _compile(call: PythonCall) -> Any:
    mode = call.argument(2, "mode")
    value = call.argument(0, "source")
    if isinstance(value, str | bytes):
        run_python(call, value)
        return value if mode in {"exec", "eval", "single"} else UNK
    return UNK


def _console(call: PythonCall) -> Any:
    call.act.add("dynamic-code")
    return UNK


def _run_source(call: PythonCall) -> Any:
    return run_python(call, call.argument(0))


def _run_path(call: PythonCall) -> Any:
    return _run_file(call, call.argument(0))


def _run_file(call: PythonCall, path: Any) -> Any:
    """Judge running a file of Python: what this module wrote there, a file of the workspace, or one from elsewhere."""
    if not isinstance(path, str | PathValue | FileValue) or is_open(as_text(path)):
        return UNK
    target = paths.locate(as_text(path), call.walker.cwd)
    text = call.walker.written.get(target.text)
    if text is not None:
        return run_python(call, text)
    if target.place == paths.Place.WORKSPACE:
        call.walker.report.reached.append((target.text.lstrip("\ue002/"), "python"))
    else:
        severity = Severity.MEDIUM if paths.inside_or_temporary(target) else None
        call.act.add("dynamic-code", severity=severity, detail="Runs a file from outside the workspace.")
    return UNK


def _doctests(call: PythonCall) -> Any:
    """Judge the examples of a text, or of the module's functions."""
    given = call.argument(0)
    named = [given] if given is not UNK else call.walker.functions
    nodes = [one.node for one in named if isinstance(one, Function) and not isinstance(one.node, ast.Lambda)]
    texts = [given] if isinstance(given, str) else [ast.get_docstring(node) or "" for node in nodes]
    if given is UNK:
        texts.append(as_text(call.walker.lookup("__doc__") or ""))
    for text in texts:
        run_python(call, "".join(_examples(text)))
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


def _second_as_file(call: PythonCall) -> Any:
    _run_file(call, call.argument(1, "location" if "spec" in call.name else "path"))
    return Ref(f"{call.name}()")


def _source_of(call: PythonCall) -> Any:
    return call.argument(0, "source")


def _code_object(call: PythonCall) -> Any:
    literal = any(isinstance(argument, bytes) for argument in call.arguments)
    call.act.add("dynamic-code", severity=None if literal else Severity.MEDIUM, detail="Builds code from bytes.")
    return UNK


HANDLERS: Final = {
    "builtins.exec": _exec,
    "builtins.execfile": _run_path,
    "builtins.eval": _eval,
    "builtins.compile": _compile,
    "ctypes.pythonapi.PyRun_SimpleString": _run_source,
    **dict.fromkeys(
        (
            "code.InteractiveInterpreter().runsource code.InteractiveInterpreter().runcode "
            "code.InteractiveConsole().push code.InteractiveConsole().runsource timeit.timeit timeit.repeat "
            "cProfile.run profile.run pdb.run pdb.runeval trace.Trace().run timeit.Timer bdb.Bdb().run "
            "doctest.script_from_examples"
        ).split(),
        _run_source,
    ),
    **dict.fromkeys(("runpy.run_path",), _run_path),
    **dict.fromkeys(
        (
            "importlib.util.spec_from_file_location importlib.machinery.SourceFileLoader imp.load_source "
            "importlib.machinery.SourcelessFileLoader importlib.machinery.ExtensionFileLoader"
        ).split(),
        _second_as_file,
    ),
    **dict.fromkeys(("doctest.run_docstring_examples", "doctest.testmod"), _doctests),
    "zipimport.zipimporter": _run_path,
    "ast.parse": _source_of,
    **dict.fromkeys(("types.CodeType", "types.FunctionType"), _code_object),
}
