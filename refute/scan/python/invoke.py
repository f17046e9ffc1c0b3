"""Calls: from what is called to the check that knows it, and what becomes of callables that are handed over."""

# ruff: noqa: SIM905 - long tables of names read best as words

import ast
from collections.abc import Callable, Iterable
from typing import Any, Final

from refute.scan.core.symbols import DOWNLOAD, is_open
from refute.scan.python import folding
from refute.scan.python.decoders import DECODERS
from refute.scan.python.handlers import effects_of
from refute.scan.python.handlers.files import file_method, path_method
from refute.scan.python.names import POWERFUL, Bound, attribute, item
from refute.scan.python.state import Call, Walker, is_dangerous
from refute.scan.python.values import PROCESSES, UNK, FileValue, Function, Partial, PathValue, Ref, as_text, options_of

# ruff: noqa: PLR0911 - decision lists read best with one return per case
_LIBRARY_CALLS: Final = frozenset(
    """system execl execlp execv execve execvp popen fork vfork ptrace mprotect mmap syscall unlink remove rmdir
        kill setuid setgid seteuid chmod chown reboot mount umount socket connect dlopen memfd_create
        process_vm_writev CreateThread VirtualAlloc WinExec ShellExecuteA""".split()
)


_PICKING: Final = ("builtins.", "re.", "itertools.", "json.", "shlex.")
"""Modules whose functions give parts of what they get."""
_RUNS_COMMANDS: Final = frozenset({"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"})
_ONLY_LOOKS: Final = frozenset(
    {"builtins.callable", "builtins.isinstance", "builtins.hasattr", "builtins.id", "builtins.repr", "builtins.print"}
    | {
        "inspect.signature",
        "inspect.getsource",
        "inspect.isfunction",
        "functools.wraps",
        "builtins.type",
        "builtins.str",
    }
)
_TELLING: Final = frozenset(
    """system popen run call Popen check_output check_call getoutput exec eval spawn execv execl execvp rmtree remove
    unlink connect CDLL loads""".split()
)
"""What a module that can do anything is asked for."""


def judge_reduce(walker: Walker, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Judge what unpickling an object of the class would call."""
    for value in options_of(walker.enter(Function(node, walker.env), [], {}, known=False)):
        if isinstance(value, tuple | list) and len(value) > 1 and is_dangerous(value[0], walker.report.knowledge):
            walker.call(value[0], list(value[1]) if isinstance(value[1], tuple | list) else [UNK], {}, node)


def call_reference(call: Call) -> Any:
    """Call something known by name."""
    name = call.name
    if (indirect := _indirect(call)) is not None:
        return indirect(call)
    effects = effects_of(call)
    if effects is not None:
        found = call.walker.engine.perform(effects, call.frame)
        if name in {"threading.Thread", "threading.Timer", "multiprocessing.Process"}:
            _follow_callables(call)
        return UNK if found is None else found
    result = folding.pure_call(name, call.arguments, call.keywords)
    if result is not UNK:
        return result
    if name in DECODERS:
        return remember(call.walker, folding.decode_call(name, call.arguments))
    _follow_callables(call)
    if name == PROCESSES.name or (PROCESSES in call.arguments and name.startswith(_PICKING)):
        return PROCESSES
    return Ref(f"{name}()") if "." in name and name.count("()") < 3 else UNK  # noqa: PLR2004


def _indirect(call: Call) -> Callable[[Call], Any] | None:
    """What judges a call that goes by something other than a module's own name."""
    name = call.name
    if name.startswith(("ctypes.", "cffi.")) and "()." in name:
        return _call_library
    if name.startswith("?"):
        return _call_disguised
    if not call.arguments:
        return None
    return _call_unbound if name.startswith("unbound.") else None


def _call_unbound(call: Call) -> Any:
    owner = Bound(call.arguments[0], call.name.removeprefix("unbound."))
    return call_method(call.walker, owner, call.arguments[1:], call.keywords, call.node)


def remember(walker: Walker, value: Any) -> Any:
    """Note a decoder's result."""
    if isinstance(value, str | bytes) and value:
        walker.decoded.add(as_text(value))
    return value


def _call_library(call: Call) -> Any:
    """A function of a C library opened by ctypes."""
    if call.name.rpartition(".")[2] in _LIBRARY_CALLS:
        call.flag("native-code")
    return UNK


def _call_disguised(call: Call) -> Any:
    _, *between, last = call.name.split(".")
    # `plugin.backend.run()` is a plugin's own; a module that can do anything is asked for its function, or has `os`.
    if set(between) <= POWERFUL and last in _TELLING:
        call.flag("dynamic-name", detail="The module is imported by a computed name.")
    return UNK


def call_method(walker: Walker, target: Bound, arguments: list[Any], keywords: dict[str, Any], node: ast.AST) -> Any:
    """Call a method of a value."""
    owner, name = target.owner, target.name
    call = Call(walker, f"….{name}", arguments, keywords, node)
    if walker.endless and name in {"append", "extend", "write", "writelines"}:
        call.flag("resource-exhaustion", detail="The loop has no end.")
    if isinstance(owner, PathValue) and (effects := path_method(call, name, owner)) is not None:
        return walker.engine.perform(effects, call.frame)
    if isinstance(owner, FileValue):
        effects = file_method(call, name, owner)
        return UNK if effects is None else walker.engine.perform(effects, call.frame)
    if isinstance(owner, Ref) or name == "__getattribute__":
        found = _reference_method(walker, owner, call)
        if found is not UNK:
            return found
    if isinstance(owner, str) and DOWNLOAD in owner:
        return owner
    result = folding.method_call(owner, name, arguments, keywords)
    if result is not UNK:
        return (
            remember(walker, result)
            if name in {"decode", "translate", "fromhex"} and result != owner and as_text(owner) in walker.decoded
            else result
        )
    if (
        isinstance(owner, str)
        and is_open(owner)
        and name in {"strip", "rstrip", "lstrip", "decode", "encode", "replace", "format", "lower", "upper", "join"}
    ):
        return owner
    _follow_callables(call)
    return UNK


def _reference_method(walker: Walker, owner: Any, call: Call) -> Any:
    name, arguments = call.name[2:], call.arguments
    if isinstance(owner, Ref) and name in {"get", "pop", "__getitem__", "setdefault"} and arguments:
        return item(walker, owner, arguments[0], call.node)
    if isinstance(owner, Ref) and name in {"copy", "items", "values", "keys"}:
        return Ref(f"{owner.name}.copy()")
    if name == "__getattribute__" and arguments and isinstance(arguments[0], str):
        return attribute(walker, owner, arguments[0], call.node)
    return UNK


def call_unknown(call: Call) -> Any:
    """Call something unknown: what is handed to it may be called in turn."""
    _follow_callables(call)
    return UNK


def _follow_callables(call: Call) -> None:
    """Something that is handed over as an argument will be called: with what stands beside it, as thread pools do."""
    for position, value in enumerate([*call.arguments, *call.keywords.values()]):
        for target in options_of(value):
            if isinstance(target, Function | Partial) or is_dangerous(target, call.walker.report.knowledge):
                _call_later(call, target, position)


def _call_later(call: Call, target: Any, position: int) -> None:
    keyword = call.keywords.get("args", call.keywords.get("kwargs"))
    rest = call.arguments[position + 1 :] if position < len(call.arguments) else []
    if isinstance(keyword, list | tuple):
        call.walker.call(target, list(keyword), {}, call.node)
    elif rest and isinstance(rest[0], list | tuple) and rest[0] and not isinstance(target, Function):
        for element in _bounded(rest[0]):
            call.walker.call(target, list(element) if isinstance(element, tuple) else [element], {}, call.node)
    elif isinstance(target, Function):
        if target.node not in call.walker.called:
            call.walker.enter(target, rest, {}, known=bool(rest))
    elif rest:
        call.walker.call(target, list(rest), {}, call.node)
    elif isinstance(target, Ref) and target.name in _RUNS_COMMANDS and call.name not in _ONLY_LOOKS:
        call.flag("dynamic-name", detail=f"It hands on {target.name}, which may be called out of sight.")


def _bounded(items: Iterable[Any]) -> list[Any]:
    return list(items)[:8]
