"""Python calls that run, import, load or patch code."""

import ast
from typing import Any, Final

from refute.scan.finding import Severity
from refute.scan.python import names
from refute.scan.python.assigning import assign_attribute
from refute.scan.python.call import PythonCall
from refute.scan.python.imports import canonical, member
from refute.scan.python.values import (
    UNK,
    Choice,
    Class,
    Function,
    Instance,
    Partial,
    Ref,
    options_of,
)
from refute.scan.symbols import DERIVED, UNKNOWN, is_open

_SENSITIVE_MODULES: Final = frozenset(
    {"os", "subprocess", "builtins", "sys", "ctypes", "shutil", "importlib", "pty", "socket", "posix", "code", "runpy"}
)


_RUNS_ANYTHING: Final = frozenset({"os", "subprocess", "builtins", "pty"})


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


def _import(call: PythonCall) -> Any:
    value = call.argument(0, "name")
    found = []
    for option in options_of(value):
        if isinstance(option, str) and not is_open(option) and option:
            fromlist = call.argument(3, "fromlist")
            name = option if "import_module" in call.name or fromlist is not UNK else option.partition(".")[0]
            found.append(Ref(canonical(name)))
        else:
            if isinstance(option, str) and DERIVED in option:
                call.act.add("dynamic-name", detail="The module's name is hidden.")
            else:
                severity = Severity.MEDIUM
                call.act.add("dynamic-name", severity=severity, detail="The module's name is not known before the run.")
            found.append(Ref("?import"))
    return Choice(tuple(found)) if len(found) > 1 else found[0]


def _resolve(call: PythonCall) -> Any:
    value = call.argument(0, "name")
    known = isinstance(value, str) and value and not is_open(value)
    return member(value.replace(":", ".")) if known else _import(call)


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
        assign_attribute(call.walker, owner, target, value)
    return UNK


def _look_through(call: PythonCall) -> Any:
    """`dir`, `inspect.getmembers`: all names of a module, of which one may be picked without being written."""
    owner = call.argument(0)
    if isinstance(owner, Ref) and owner.name in _RUNS_ANYTHING:
        call.act.add("dynamic-name", severity=Severity.MEDIUM, detail="It looks through all names of the module.")
    return UNK


def _vars(call: PythonCall) -> Any:
    _look_through(call)
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


def _trace(call: PythonCall) -> Any:
    call.act.add("test-tampering")
    return UNK


def _exit_now(call: PythonCall) -> Any:
    call.act.add("test-tampering", severity=Severity.MEDIUM, detail="Ends the process past every check.")
    return UNK


def _at_exit(call: PythonCall) -> Any:
    """Judge what runs when the process ends: ending it there, past its exit status, hides failed tests."""
    target = call.argument(0)
    body = getattr(target, "node", None) or call.node
    ends = any(isinstance(node, ast.Attribute) and node.attr == "_exit" for node in ast.walk(body))
    if ends or target == Ref("os._exit"):
        call.act.add("test-tampering", severity=Severity.HIGH, detail="Replaces the exit status of the run.")
    for option in options_of(target)[:1]:
        call.walker.call(option, list(call.arguments[1:]), {}, call.node)
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
    **dict.fromkeys(
        (
            "builtins.__import__",
            "importlib.import_module",
            "importlib.__import__",
            "imp.load_module",
            "imp.find_module",
        ),
        _import,
    ),
    "pkgutil.resolve_name": _resolve,
    "operator.attrgetter": _attrgetter,
    "operator.methodcaller": _methodcaller,
    **dict.fromkeys(("builtins.getattr", "inspect.getattr_static"), _getattr),
    "builtins.setattr": _setattr,
    "builtins.vars": _vars,
    **dict.fromkeys(("builtins.dir", "inspect.getmembers", "inspect.getmembers_static"), _look_through),
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
    "os._exit": _exit_now,
    "atexit.register": _at_exit,
    **dict.fromkeys(
        ("code.interact", "code.InteractiveConsole", "builtins.breakpoint", "pdb.set_trace"),
        lambda call: call.act.add("dynamic-code", severity=Severity.MEDIUM),
    ),
}
