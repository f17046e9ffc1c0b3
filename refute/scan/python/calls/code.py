"""Python calls that run, import, load or patch code."""

# ruff: noqa: SIM905 - long tables of names read best as words

import ast
import pickletools
from typing import Any, Final

from refute.scan.finding import Severity
from refute.scan.python import names
from refute.scan.python.call import PythonCall
from refute.scan.python.values import (
    UNK,
    Choice,
    Class,
    FileValue,
    Function,
    Instance,
    Partial,
    PathValue,
    Ref,
    as_text,
    options_of,
)
from refute.scan.symbols import DERIVED, DOWNLOAD, OUTPUT, SECRET, UNKNOWN, is_open

_SENSITIVE_MODULES: Final = frozenset(
    {"os", "subprocess", "builtins", "sys", "ctypes", "shutil", "importlib", "pty", "socket", "posix", "code", "runpy"}
)
_SENSITIVE_NAMES: Final = frozenset(
    {
        "system",
        "popen",
        "exec",
        "eval",
        "Popen",
        "run",
        "call",
        "check_output",
        "remove",
        "rmtree",
        "unlink",
        "spawn",
        "execv",
        "loads",
        "__import__",
        "urlopen",
    }
)
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
            tree = ast.parse(value.strip(), mode="eval")
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


def _import(call: PythonCall) -> Any:
    value = call.argument(0, "name")
    found = []
    for option in options_of(value):
        if isinstance(option, str) and not is_open(option) and option:
            fromlist = call.argument(3, "fromlist")
            name = option if "import_module" in call.name or fromlist is not UNK else option.partition(".")[0]
            found.append(Ref(names.canonical(name)))
        else:
            if isinstance(option, str) and DERIVED in option:
                call.act.add("dynamic-name", detail="The module's name is hidden.")
            found.append(Ref("?import"))
    return Choice(tuple(found)) if len(found) > 1 else found[0]


def _getattr(call: PythonCall) -> Any:
    owner, name = call.argument(0), call.argument(1)
    if isinstance(name, str) and not is_open(name):
        return names.attribute(call.walker, owner, name, call.node)
    if isinstance(owner, Ref) and owner.name in _SENSITIVE_MODULES:
        hidden = isinstance(name, str)
        call.act.add("dynamic-name", severity=None if hidden else Severity.MEDIUM)
        return Ref(f"?{owner.name}.{UNKNOWN}")
    return UNK


def _setattr(call: PythonCall) -> Any:
    owner, name, value = call.argument(0), call.argument(1), call.argument(2)
    if isinstance(name, str) and isinstance(call.node, ast.Call):
        target = ast.copy_location(
            ast.Attribute(value=ast.Name(id="_", ctx=ast.Load()), attr=name, ctx=ast.Store()), call.node
        )
        names.assign_attribute(call.walker, owner, target, value)
    return UNK


def _vars(call: PythonCall) -> Any:
    owner = call.argument(0)
    if isinstance(owner, Ref):
        return Ref(f"{owner.name}.__dict__")
    if isinstance(owner, Instance | Class):
        return names.attribute(call.walker, owner, "__dict__", call.node)
    return Ref("globals()") if owner is UNK and not call.arguments else UNK


def _attrgetter(call: PythonCall) -> Any:
    value = call.argument(0)
    return Ref(f"getter.{value}") if isinstance(value, str) else UNK


def _methodcaller(call: PythonCall) -> Any:
    value = call.argument(0)
    return Partial(Ref(f"caller.{value}"), tuple(call.arguments[1:])) if isinstance(value, str) else UNK


def _outside_text(_call: PythonCall) -> str:
    return UNKNOWN


def _load(call: PythonCall) -> Any:
    value = call.argument(0)
    text = as_text(value)
    if isinstance(value, bytes) and call.name.startswith("pickle.") and not _pickle_calls(value):
        return UNK
    if isinstance(value, bytes | str) and not is_open(text):
        decoded = text in call.walker.decoded
        call.act.add("unsafe-load", detail="The data is hidden." if decoded else "")
    elif DOWNLOAD in text or DERIVED in text or SECRET in text:
        call.act.add("unsafe-load")
    elif isinstance(value, Ref) and value.name.startswith("pickle.dumps"):
        return UNK
    else:
        call.act.add("unsafe-load", severity=Severity.MEDIUM)
    return Ref(f"{call.name}()")


def _pickle_calls(data: bytes) -> bool:
    """Whether unpickling would call anything by name, or the data is no pickle that can be read."""
    harmless = ("copyreg", "copy_reg", "collections", "datetime", "decimal", "fractions", "time", "uuid", "array")
    texts: list[str] = []
    try:
        for opcode, argument, _ in pickletools.genops(data):
            texts.append(argument if isinstance(argument, str) else "")
            if opcode.name in {"GLOBAL", "INST", "STACK_GLOBAL"}:
                module = argument if opcode.name != "STACK_GLOBAL" else "".join(texts[-4:-1])
                if not str(module).startswith(harmless):
                    return True
    except Exception:  # noqa: BLE001 - hostile bytes
        return True
    return False


def _yaml(call: PythonCall) -> Any:
    loader = call.argument(1, "Loader")
    if isinstance(loader, Ref) and loader.name.rpartition(".")[2] in {"UnsafeLoader", "Loader", "FullLoader"}:
        unsafe = loader.name.endswith("UnsafeLoader") or "!!python" in as_text(call.argument(0))
        call.act.add("unsafe-load", severity=None if unsafe else Severity.MEDIUM)
    elif "!!python" in as_text(call.argument(0)):
        call.act.add("unsafe-load")
    return UNK


def _library(call: PythonCall) -> Any:
    value = call.argument(0, "name")
    call.act.add("native-code", severity=Severity.HIGH if DERIVED in as_text(value) else Severity.MEDIUM)
    return Ref("library()")


def _trace(call: PythonCall) -> Any:
    call.act.add("test-tampering")
    return UNK


def _exit_now(call: PythonCall) -> Any:
    call.act.add("test-tampering", severity=Severity.MEDIUM, detail="Ends the process past every check.")
    return UNK


def _console(call: PythonCall) -> Any:
    call.act.add("dynamic-code")
    return UNK


def _run_source(call: PythonCall) -> Any:
    return run_python(call, call.argument(0))


def _run_path(call: PythonCall) -> Any:
    path = call.argument(0)
    if isinstance(path, str | PathValue | FileValue) and not is_open(as_text(path)):
        call.walker.report.reached.append((as_text(path).lstrip("\ue002/"), "python"))
    return UNK


def _code_object(call: PythonCall) -> Any:
    literal = any(isinstance(argument, bytes) for argument in call.arguments)
    call.act.add("dynamic-code", severity=None if literal else Severity.MEDIUM, detail="Builds code from bytes.")
    return UNK


def _map(call: PythonCall) -> Any:
    target, items = call.argument(0), names.iterated(call.argument(1))
    if isinstance(items, list) and len(items) <= 4096:  # noqa: PLR2004 - enough for any hidden text
        return [call.walker.call(option, [item], {}, call.node) for item in items for option in options_of(target)[:1]]
    call.walker.call(target, [UNK], {}, call.node)
    return UNK


def _reduce(call: PythonCall) -> Any:
    target, items = call.argument(0), names.iterated(call.argument(1))
    if not isinstance(items, list) or not items or len(items) > 4096:  # noqa: PLR2004 - as above
        return UNK
    total = items[0] if len(call.arguments) < 3 else call.arguments[2]  # noqa: PLR2004 - an initial value
    for item in items[1:] if len(call.arguments) < 3 else items:  # noqa: PLR2004
        total = call.walker.call(target, [total, item], {}, call.node)
    return total


def _input(_call: PythonCall) -> Any:
    return UNKNOWN


def _dangerous_type(call: PythonCall) -> Any:
    bodies = call.argument(2)
    if isinstance(bodies, dict):
        for value in bodies.values():
            if isinstance(value, Function):
                call.walker.enter(value, [], {}, known=False)
    return UNK


HANDLERS: Final = {
    "builtins.exec": _exec,
    "builtins.execfile": _run_path,
    "builtins.eval": _eval,
    "builtins.compile": _compile,
    **dict.fromkeys(
        (
            "builtins.__import__",
            "importlib.import_module",
            "importlib.__import__",
            "imp.load_module",
            "pkgutil.resolve_name",
            "imp.find_module",
        ),
        _import,
    ),
    "operator.attrgetter": _attrgetter,
    "operator.methodcaller": _methodcaller,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.vars": _vars,
    "builtins.globals": lambda _call: Ref("globals()"),
    "builtins.locals": lambda _call: Ref("globals()"),
    "builtins.map": _map,
    "builtins.filter": _map,
    "functools.reduce": _reduce,
    "builtins.input": _input,
    "builtins.type": _dangerous_type,
    **dict.fromkeys(
        ("sys.stdin.read", "sys.stdin.readline", "sys.stdin.readlines", "os.getenv", "os.environ.get"),
        lambda call: names.environment_value(call.argument(0)) if "env" in call.name else UNKNOWN,
    ),
    **dict.fromkeys(
        (
            "pickle.loads pickle.load pickle.Unpickler marshal.loads marshal.load shelve.open jsonpickle.decode "
            "torch.load joblib.load"
        ).split(),
        _load,
    ),
    **dict.fromkeys(("yaml.load", "yaml.unsafe_load", "yaml.full_load", "yaml.load_all"), _yaml),
    **dict.fromkeys(
        ("ctypes.CDLL", "ctypes.PyDLL", "ctypes.cdll.LoadLibrary", "ctypes.WinDLL", "cffi.FFI().dlopen", "cffi.FFI"),
        _library,
    ),
    **dict.fromkeys(
        ("ctypes.memmove", "ctypes.memset", "ctypes.string_at"),
        lambda call: call.act.add("native-code", severity=Severity.MEDIUM),
    ),
    **dict.fromkeys(
        (
            "sys.settrace",
            "sys.setprofile",
            "threading.settrace",
            "threading.setprofile",
            "gc.get_objects",
        ),
        _trace,
    ),
    "ctypes.pythonapi.PyRun_SimpleString": _run_source,
    "os._exit": _exit_now,
    **dict.fromkeys(
        ("code.interact", "code.InteractiveConsole", "builtins.breakpoint", "pdb.set_trace"),
        lambda call: call.act.add("dynamic-code", severity=Severity.MEDIUM),
    ),
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
    **dict.fromkeys(("types.CodeType", "types.FunctionType"), _code_object),
}
