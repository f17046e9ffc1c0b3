"""Which values of a test come from the implementation: what it returned, raised, wrote into, printed or logged."""

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from refute.adversary.references import ImplementationUse, loaded
from refute.adversary.screening.resolution import Resolution

OUTSIDE: Final = frozenset({"subprocess", "runpy", "importlib", "os", "sys", "warnings", "logging", "gc", "threading"})
"""Modules through which an effect of the implementation shows."""
OBSERVERS: Final = frozenset({"capsys", "capfd", "capsysbinary", "capfdbinary", "caplog", "recwarn"})
"""Fixtures that see what the implementation prints, logs and warns."""
RAISERS: Final = frozenset({"pytest.raises", "pytest.warns", "pytest.deprecated_call"})


_BUILTINS: Final = frozenset(dir(builtins))
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


class Taint:
    """The tainted names of one test; the order of statements does not count.

    Args:
        test: the test function, or a helper of it.
        names: resolves the file's names.
        use: tells which names of the file refer to the implementation.
        of_caller: every argument may come from the implementation.
    """

    def __init__(
        self,
        test: ast.FunctionDef | ast.AsyncFunctionDef,
        names: Resolution,
        use: ImplementationUse,
        *,
        of_caller: bool = False,
    ) -> None:
        self._names = names
        self._use = use
        self._tainted = set(_arguments(test)) if of_caller else set(_arguments(test)) & OBSERVERS
        self._inner = {
            node.name: set(_arguments(node))
            for node in ast.walk(test)
            if isinstance(node, FUNCTION) and node is not test
        }
        for node in ast.walk(test):
            if isinstance(node, ast.Import | ast.ImportFrom) and use.imports(node):
                self._tainted |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        before = -1
        while len(self._tainted) != before:
            before = len(self._tainted)
            for node in ast.walk(test):
                if node is not test:
                    self._tainted |= self._spread(node)

    def depends(self, *nodes: ast.AST) -> bool:
        """Whether anything in these comes from the implementation or shows its effects."""
        return any(self._is_tainted(part) for node in nodes for part in ast.walk(node))

    def _is_tainted(self, part: ast.AST) -> bool:
        if isinstance(part, ast.Name) and (part.id in self._tainted or self._use.refers(part.id)):
            return True
        return isinstance(part, ast.Name | ast.Attribute) and self._names.dotted(part).partition(".")[0] in OUTSIDE

    def _spread(self, node: ast.AST) -> set[str]:  # noqa: PLR0911  # one return per kind of statement
        """Names that a node taints."""
        match node:
            case ast.Assign(targets=targets, value=value) if self.depends(value):
                return {name for target in targets for name in _variables(target)}
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
                | ast.NamedExpr(target=target, value=value)
                | ast.For(target=target, iter=value)
                | ast.comprehension(target=target, iter=value)
            ) if self.depends(value):
                return set(_variables(target))
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                raised = isinstance(value, ast.Call) and self._names.dotted(value.func) in RAISERS
                return set(_variables(target)) if raised or self.depends(value) else set()
            case ast.Call(func=function) if self.depends(node):
                # Arguments may have been written into, and so may the object whose method was called.
                receiver = [function.value] if isinstance(function, ast.Attribute) else []
                touched = {name for part in (*receiver, *passed(node)) for name in _variables(part)}
                # A function of the test's that is called with such a value is given it; one that is handed over may
                # never be called.
                given = [self._inner[name] for name in _variables(function) if name in self._inner]
                return touched.union(*given)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name) if (
                name not in self._tainted and self.depends(*_made_of(node))
            ):
                return {name}
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name in self._tainted:
                # A callback that was handed to the implementation: what it writes down shows when it was called.
                return {written for call in calls(node) for written in _variables(call.func)}
            case ast.ExceptHandler(name=str(name)):
                return {name}
        return set()


def run_inside(node: ast.AST, *, defined_here: Sequence[ast.AST] = ()) -> set[str]:
    """Names of functions whose failure may end a node.

    That of coroutines and generators that nobody awaits or reads, and of what runs in a thread, does not.

    Args:
        node: a function or a statement.
        defined_here: functions of the file that it may call, beside those in itself.
    """
    lazy = {one.name for one in (*ast.walk(node), *defined_here) if isinstance(one, FUNCTION) and _is_lazy(one)}
    idle = Counter(
        part.value.func.id
        for part in ast.walk(node)
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call) and isinstance(part.value.func, ast.Name)
    )
    threads = Counter(
        part.value.id
        for part in ast.walk(node)
        if isinstance(part, ast.keyword) and part.arg == "target" and isinstance(part.value, ast.Name)
    )
    read = Counter(part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
    return {
        name
        for name in loaded(node)
        if (name not in lazy or read[name] > idle[name]) and (name not in threads or read[name] > threads[name])
    }


def _is_lazy(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return isinstance(function, ast.AsyncFunctionDef) or any(
        isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(function)
    )


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    given = function.args
    several = [one for one in (given.vararg, given.kwarg) if one is not None]
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *several)]


def passed(call: ast.Call) -> list[ast.expr]:
    """All arguments of a call."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _made_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[ast.expr]:
    """What makes a definition a part of the implementation: decorators, bases, and what a function gives back."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases]
    given = [
        part.value for part in ast.walk(node) if isinstance(part, ast.Return | ast.Yield | ast.YieldFrom) and part.value
    ]
    return [*node.decorator_list, *given]


def calls(node: ast.AST) -> Iterator[ast.Call]:
    """Every call in a node."""
    return (part for part in ast.walk(node) if isinstance(part, ast.Call))


def _variables(node: ast.AST) -> Iterator[str]:
    return (part.id for part in ast.walk(node) if isinstance(part, ast.Name) and part.id not in _BUILTINS)
