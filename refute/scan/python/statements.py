"""Python statements, one function per kind."""

# ruff: noqa: SIM905 - long tables of names read best as words

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from refute.scan.python import expressions, imports, invoke, names
from refute.scan.python.state import Walker, is_dangerous
from refute.scan.python.values import MAX_CHOICES, Class, Env, Function, Instance, Ref, choose, lift

_RUNNERS: Final = frozenset({"builtins.eval", "builtins.exec", "builtins.compile", "os.system", "os.popen"})
_MAX_ROUNDS: Final = 300
_WAITS: Final = frozenset(
    """sleep wait recv accept get join exit _exit readline input select poll run_forever next popleft""".split()
)
"""Calls that wait for something."""


def walk_statement(walker: Walker, node: ast.stmt) -> list[Any]:
    """Walk one statement; returns the values that it may return from its function."""
    block = _BLOCKS.get(type(node))
    if block is not None:
        return block(walker, node)
    if isinstance(node, ast.Return):
        return [] if node.value is None else [walker.value(node.value)]
    _simple(walker, node)
    return []


def _simple(walker: Walker, node: ast.stmt) -> None:  # noqa: C901, PLR0912 - one branch per kind of statement
    match node:
        case ast.Expr():
            walker.value(node.value)
        case ast.Assign():
            value = walker.value(node.value)
            for target in node.targets:
                walker.bind(target, value)
        case ast.AnnAssign():
            walker.value(node.annotation)
            if node.value is not None:
                walker.bind(node.target, walker.value(node.value))
        case ast.AugAssign():
            _augment(walker, node)
        case ast.Import() | ast.ImportFrom():
            imports.bind_import(walker, node)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            _define(walker, node)
        case ast.ClassDef():
            _class(walker, node)
        case ast.Global() | ast.Nonlocal():
            walker.env.shared.update(node.names)
        case ast.Assert() | ast.Raise():
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    walker.value(child)


def _while(walker: Walker, node: ast.While) -> list[Any]:
    walker.value(node.test)
    endless = isinstance(node.test, ast.Constant) and bool(node.test.value) and not _ends(node)
    walker.endless += endless
    returned = _branches(walker, node.body, node.orelse)
    walker.endless -= endless
    return returned


def _if(walker: Walker, node: ast.If) -> list[Any]:
    walker.value(node.test)
    return _branches(walker, node.body, node.orelse)


def _with(walker: Walker, node: ast.With | ast.AsyncWith) -> list[Any]:
    for item in node.items:
        value = walker.value(item.context_expr)
        if item.optional_vars is not None:
            walker.bind(item.optional_vars, names.entered(value))
    return walker.body(node.body)


def _try(walker: Walker, node: ast.Try | ast.TryStar) -> list[Any]:
    for handler in node.handlers:
        if handler.type is not None:
            walker.value(handler.type)
    handlers = [handler.body for handler in node.handlers]
    return _branches(walker, node.body, *handlers, node.orelse, node.finalbody)


def _match(walker: Walker, node: ast.Match) -> list[Any]:
    walker.value(node.subject)
    return _branches(walker, *[case.body for case in node.cases])


def _branches(walker: Walker, *bodies: list[ast.stmt]) -> list[Any]:
    walker.branching += 1
    returned = [value for body in bodies for value in walker.body(body)]
    walker.branching -= 1
    return returned


def _augment(walker: Walker, node: ast.AugAssign) -> None:
    old = walker.value(node.target)
    new = lift(lambda a, b: expressions.join(type(node.op).__name__, a, b), old, walker.value(node.value))
    branching, walker.branching = walker.branching, 0
    walker.bind(node.target, new)
    walker.branching = branching


def _loop(walker: Walker, node: ast.For | ast.AsyncFor) -> list[Any]:
    items = walker.value(node.iter)
    sequence = names.iterated(items)
    walker.branching += 1
    returned: list[Any] = []
    if isinstance(sequence, list) and 0 < len(sequence) <= _MAX_ROUNDS and _small(node):
        for item in sequence:
            _bind_plain(walker, node.target, item)
            returned.extend(walker.body(node.body))
    else:
        _bind_plain(walker, node.target, choose(sequence[:MAX_CHOICES]) if isinstance(sequence, list) else sequence)
        returned.extend(walker.body(node.body))
    returned.extend(walker.body(node.orelse))
    walker.branching -= 1
    return returned


def _small(node: ast.For | ast.AsyncFor) -> bool:
    return len(node.body) <= 4 and all(isinstance(s, ast.AugAssign | ast.Assign | ast.Expr) for s in node.body)  # noqa: PLR2004


def _bind_plain(walker: Walker, target: ast.expr, value: Any) -> None:
    branching, walker.branching = walker.branching, 0
    walker.bind(target, value)
    walker.branching = branching


def _define(walker: Walker, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    function = Function(node, walker.env)
    walker.functions.append(function)
    result: Any = function
    for default in (*node.args.defaults, *node.args.kw_defaults):
        if default is not None:
            walker.value(default)
    for decorator in reversed(node.decorator_list):
        wrapper = walker.value(decorator)
        if isinstance(wrapper, Ref) and wrapper.name in _RUNNERS:
            walker.report.add("dynamic-code", walker.spot(decorator), f"@{wrapper.name}")
        if (isinstance(wrapper, Ref) and is_dangerous(wrapper, walker.report.knowledge)) or (
            isinstance(wrapper, Function) and isinstance(wrapper.node, ast.Lambda)
        ):
            result = walker.call(wrapper, [result], {}, decorator)
    walker.env.names[node.name] = result
    if node.name in {"__reduce__", "__reduce_ex__"}:
        invoke.judge_reduce(walker, node)


def _class(walker: Walker, node: ast.ClassDef) -> None:
    made = Class(node.name)
    for base in [*node.bases, *[keyword.value for keyword in node.keywords]]:
        value = walker.value(base)
        if isinstance(value, Class):
            made.attributes.update(value.attributes)
            made.methods.update(value.methods)
        made.base = value if is_dangerous(value, walker.report.knowledge) else getattr(value, "base", made.base)
    outer, walker.env = walker.env, Env(walker.env)
    before = len(walker.functions)
    walker.body(node.body)
    for function in walker.functions[before:]:
        if function.instance is None and not isinstance(function.node, ast.Lambda) and function.env is walker.env:
            made.methods[function.node.name] = function
            function.instance = Instance(made)
            function.env = outer
    made.attributes.update({k: v for k, v in walker.env.names.items() if k not in made.methods})
    walker.env = outer
    walker.env.names[node.name] = made
    for name in ("setUpClass", "setup_class", "setUp", "setup_method", "asyncSetUp", "__init__"):
        if name in made.methods:
            walker.called.add(made.methods[name].node)
            walker.enter(made.methods[name], [], {}, known=False)


def _ends(node: ast.While) -> bool:
    """Whether a loop on a constant leaves, yields or waits somewhere."""
    leaving = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
    for inner in ast.walk(node):
        if isinstance(inner, leaving):
            return True
        if isinstance(inner, ast.Call):
            name = inner.func.attr if isinstance(inner.func, ast.Attribute) else getattr(inner.func, "id", "")
            if name in _WAITS:
                return True
    return False


_BLOCKS: Final[Mapping[type[ast.stmt], Callable[[Walker, Any], list[Any]]]] = MappingProxyType(
    {
        ast.For: _loop,
        ast.AsyncFor: _loop,
        ast.While: _while,
        ast.If: _if,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Try: _try,
        ast.TryStar: _try,
        ast.Match: _match,
    }
)
"""Statements that hold others, and what walks them."""
