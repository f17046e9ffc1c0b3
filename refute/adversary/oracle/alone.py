"""Whether one call, as pytest's explanation tells it, may be shown to voters in the place of the test's lines.

The call alone is the clearest question, but what the test did before may have changed what is right, and the
explanation holds whatever the test's own objects and messages say of themselves.
"""

import ast
from collections.abc import Iterable, Sequence
from typing import Final

from refute.adversary.attack import SourceModule
from refute.adversary.references import loaded
from refute.adversary.suite_source import SuiteSource
from refute.python_syntax import parsed_or_none

CACHES: Final = frozenset({"cache", "lru_cache"})
"""Decorators after which a function answers as before."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def may_stand_alone(
    suite: SuiteSource, test: str, failing: ast.Assert, shown: ast.Call, modules: Iterable[SourceModule]
) -> bool:
    """Whether nothing but the call's arguments decides what is right, as far as can be seen.

    Args:
        suite: the test file.
        test: name of the test function.
        failing: its assertion that failed.
        shown: the call, as the explanation tells it.
        modules: of the implementation.
    """
    closure = suite.closure(test)
    parts = [part for statement in closure for part in ast.walk(statement)]
    name = _named(shown)
    called = [part for part in ast.walk(failing.test) if isinstance(part, ast.Call) and _named(part) == name]
    if failing.msg is not None or not called or any(isinstance(part, ast.ClassDef) for part in parts):
        return False
    # What may be changed is told as the call left it, unless it stands in the test as it is told.
    if _holds_changeable(shown) and not any(_given(one) == _given(shown) for one in called):
        return False
    return any(_answers_alike(name, parsed_or_none(one.source)) for one in modules)


def _holds_changeable(call: ast.Call) -> bool:
    return any(isinstance(part, ast.List | ast.Dict | ast.Set) for part in ast.walk(call))


def _given(call: ast.Call) -> list[str]:
    return [ast.unparse(one) for one in (*call.args, *call.keywords)]


def _answers_alike(name: str, tree: ast.Module | None) -> bool:
    """Whether a function of a module, and those that it uses, keep nothing from one call to the next."""
    if tree is None:
        return False
    functions = {node.name: node for node in tree.body if isinstance(node, Function)}
    changeable = set(_changeable(tree.body))
    waiting, seen = [name], set[str]()
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        function = functions.get(current)
        if function is None or not _keeps_nothing(function, {*changeable, *functions}):
            return False
        names = loaded(function)
        if names & changeable:
            return False
        waiting += names & functions.keys()
    return True


def _changeable(body: Sequence[ast.stmt]) -> Iterable[str]:
    """Names of a module whose values may change: whatever is not a constant, an import, or a function."""
    for node in body:
        match node:
            case ast.Assign(value=value, targets=targets) if not _lasting(value):
                yield from (part.id for one in targets for part in ast.walk(one) if isinstance(part, ast.Name))
            case ast.AnnAssign(value=ast.expr() as value, target=ast.Name(id=name)) if not _lasting(value):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.If() | ast.Try() | ast.With() | ast.For() | ast.While():
                yield from (
                    part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
                )


def _lasting(value: ast.expr) -> bool:
    match value:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Tuple(elts=parts):
            return all(map(_lasting, parts))
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="compile")):
            return True
        case ast.Call(func=ast.Name(id="frozenset")):
            return True
    return False


def _keeps_nothing(function: Function, shared: set[str]) -> bool:
    if any(_decorates(one) not in CACHES for one in function.decorator_list):
        return False
    defaults = [*function.args.defaults, *(one for one in function.args.kw_defaults if one is not None)]
    if not all(map(_lasting, defaults)):
        return False
    for part in ast.walk(function):
        match part:
            case ast.Global() | ast.Nonlocal():
                return False
            case ast.Attribute(value=ast.Name(id=name)) if name in shared:
                return False
    return True


def _decorates(node: ast.expr) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node).rpartition(".")[2]


def _named(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]
