"""Calls: from what is called to the row that knows it, into functions of the text, and on to what is handed over."""

# ruff: noqa: SIM905 - long tables of names read best as words

import ast
from dataclasses import dataclass
from typing import Any, Final

from refute.scan.core.symbols import DERIVED, DOWNLOAD, is_open
from refute.scan.python import folding
from refute.scan.python.members import NAMED, POWERFUL
from refute.scan.python.names import Names
from refute.scan.python.rows import effects_of
from refute.scan.python.state import Call, is_telling, row_of
from refute.scan.python.values import (
    UNK,
    Bound,
    Class,
    Env,
    FileValue,
    Function,
    Instance,
    PathValue,
    Ref,
    choose,
    lift,
    options_of,
    signature,
)

MAX_DEPTH: Final = 8
_MAX_ENTRIES: Final = 200
"""Different arguments with which one function is walked."""
_MAX_RESULTS: Final = 3
"""Calls on results of calls that are followed by name."""
_LIBRARY_CALLS: Final = frozenset(
    """system execl execlp execv execve execvp popen fork vfork ptrace mprotect mmap syscall unlink remove rmdir kill
    setuid setgid seteuid chmod chown reboot mount umount socket connect dlopen memfd_create process_vm_writev
    CreateThread VirtualAlloc WinExec ShellExecuteA""".split()
)
_RUNS_COMMANDS: Final = frozenset("os.system os.popen subprocess.getoutput subprocess.getstatusoutput".split())
_ONLY_LOOKS: Final = frozenset(
    """builtins.callable builtins.isinstance builtins.hasattr builtins.id builtins.repr builtins.print builtins.type
    builtins.str inspect.signature inspect.getsource inspect.isfunction functools.wraps""".split()
)
_TELLING: Final = frozenset(
    """system popen run call Popen check_output check_call getoutput exec eval spawn execv execl execvp rmtree remove
    unlink connect CDLL loads""".split()
)
"""What a module that can do anything is asked for."""

_KEEPS: Final = frozenset("strip rstrip lstrip decode encode replace format lower upper join".split())
"""Methods that leave a text with unknown parts what it is."""


@dataclass(slots=True, eq=False, repr=False)
class Calls(Names):
    """The part of the walk that calls."""

    def call(self, target: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.AST) -> Any:
        """Call a value."""
        match target:
            case Function():
                return self.enter(target, arguments, keywords)
            case Class():
                if "__init__" in target.methods:
                    self.enter(target.methods["__init__"], arguments, keywords)
                elif target.base is not None:
                    self.call(target.base, arguments, keywords, node)
                return Instance(target)
            case Ref(name) if name.startswith("unbound.") and arguments:
                return self._method(Bound(arguments[0], name[8:]), Call(self, name, arguments[1:], keywords, node))
            case Ref(name):
                return self._reference(Call(self, name, arguments, keywords, node))
            case Bound():
                return self._method(target, Call(self, f"….{target.name}", arguments, keywords, node))
        self.follow(Call(self, "?", arguments, keywords, node))
        return UNK

    def _reference(self, call: Call) -> Any:
        """Call something known by name."""
        name = call.name
        if name.startswith("?") or (name.startswith(("ctypes.", "cffi.")) and "()." in name):
            return self._judge_outlandish(call)
        if (row := row_of(name, self.report.knowledge)) is not None:
            found = self.engine.perform(effects_of(call, row), call)
            return UNK if found is None else found
        if name in NAMED:
            return lift(lambda *row: folding.attempt(NAMED[name], *row), *call.arguments)
        result = folding.pure_call(name, call.arguments, call.keywords)
        if result is not UNK or (result := folding.decode_call(name, call.arguments)) is not UNK:
            return result
        self.follow(call)
        return Ref(f"{name}()") if "." in name and name.count("()") < _MAX_RESULTS else UNK

    def _judge_outlandish(self, call: Call) -> Any:
        """A function of a C library, or of a module by a computed name."""
        if not call.name.startswith("?"):
            if call.last in _LIBRARY_CALLS:
                call.judge.flag("native-code")
        # `plugin.backend.run()` is a plugin's own; a module that can do anything is asked for its function.
        elif set(call.name.split(".")[1:-1]) <= POWERFUL and call.last in _TELLING:
            call.judge.flag("dynamic-name", detail="The module is imported by a computed name.")
        return UNK

    def _method(self, target: Bound, call: Call) -> Any:
        """Call a method of a value."""
        owner, name = target.owner, target.name
        if self.endless and name in {"append", "extend", "write", "writelines"}:
            call.judge.flag("resource-exhaustion", detail="The loop has no end.")
        if isinstance(owner, PathValue | FileValue):
            kind = "Path" if isinstance(owner, PathValue) else "File"
            whole = Call(self, f"{kind}.{name}", [owner, *call.arguments], call.keywords, call.node)
            if is_telling(Ref(whole.name), self.report.knowledge):
                return self._reference(whole)
        if isinstance(owner, Ref) or name == "__getattribute__":
            found = self._method_of_reference(owner, name, call)
            if found is not UNK:
                return found
        if isinstance(owner, str) and DOWNLOAD in owner:
            return owner
        result = folding.method_call(owner, name, call.arguments, call.keywords)
        if result is not UNK:
            return result
        if isinstance(owner, str) and is_open(owner) and name in _KEEPS:
            return owner
        self.follow(call)
        return UNK

    def _method_of_reference(self, owner: Any, name: str, call: Call) -> Any:
        given = call.arguments
        if name == "__getattribute__" and given and isinstance(given[0], str):
            return self.attribute(owner, given[0], call.node)
        if isinstance(owner, Ref) and name in {"get", "pop", "__getitem__", "setdefault"} and given:
            return self.item(owner, given[0], call.node)
        return Ref(f"{owner.name}.copy()") if name in {"copy", "items", "values", "keys"} else UNK

    def follow(self, call: Call) -> None:
        """Something that is handed over as an argument will be called: with what stands beside it, as pools do."""
        given = call.keywords.get("args", call.keywords.get("kwargs"))
        for position, value in enumerate(call.values):
            rest = list(given) if isinstance(given, list | tuple) else call.arguments[position + 1 :]
            for target in options_of(value):
                if isinstance(target, Function) and target.node not in self.called:
                    self.enter(target, rest, {}, known=bool(rest))
                elif isinstance(target, Ref) and target.name in _RUNS_COMMANDS and call.name not in _ONLY_LOOKS:
                    call.judge.flag("dynamic-name", detail=f"It hands on {target.name}, which is called out of sight.")
                elif rest and is_telling(target, self.report.knowledge):
                    self.call(target, rest, {}, call.node)

    def enter(self, function: Function, arguments: list[Any], keywords: dict[str, Any], *, known: bool = True) -> Any:
        """Walk a function's body with these arguments; without known arguments every parameter is unknown."""
        node = function.node
        if node in self.stack or len(self.stack) >= MAX_DEPTH:
            return UNK
        if known:
            self.called.add(node)
        entries = self.entries.setdefault(node, {})
        key = (id(function.instance), known, *map(signature, arguments), *map(signature, keywords.items()))
        if key not in entries and len(entries) >= _MAX_ENTRIES:
            return DERIVED  # so many calls of one function spell something out
        if key not in entries:
            entries[key] = UNK
            entries[key] = self._entered(function, arguments, keywords, known=known)
        return entries[key]

    def _entered(self, function: Function, arguments: list[Any], keywords: dict[str, Any], *, known: bool) -> Any:
        node = function.node
        before = self.env, self.stack, self.endless, self.branching
        self.env, self.stack, self.branching = Env(function.env), (*self.stack, node), 0
        self.endless = self.endless if known else 0
        try:
            self._bind_parameters(function, arguments, keywords)
            if isinstance(node, ast.Lambda):
                return self.value(node.body)
            return choose(self.body(node.body) or [None])
        finally:
            self.env, self.stack, self.endless, self.branching = before

    def _bind_parameters(self, function: Function, arguments: list[Any], keywords: dict[str, Any]) -> None:
        spec, bound = function.node.args, self.env.names
        parameters = [*spec.posonlyargs, *spec.args]
        defaults = dict(zip([p.arg for p in reversed(parameters)], reversed(spec.defaults), strict=False))
        defaults |= {p.arg: d for p, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None}
        for parameter in [*parameters, *spec.kwonlyargs]:
            default = defaults.get(parameter.arg)
            bound[parameter.arg] = UNK if default is None else self.value(default)
        decorators = getattr(function.node, "decorator_list", [])
        static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in decorators)
        if function.instance is not None and parameters and not static:
            bound[parameters.pop(0).arg] = function.instance
        for parameter, value in zip(parameters, arguments, strict=False):
            bound[parameter.arg] = value
        if spec.vararg is not None:
            bound[spec.vararg.arg] = list(arguments[len(parameters) :]) or UNK
        if spec.kwarg is not None:
            bound[spec.kwarg.arg] = UNK
        bound.update({key: value for key, value in keywords.items() if key in bound})
