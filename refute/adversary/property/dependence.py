"""What a function does beside computing with plain arguments, read from its source without running it."""

import ast
from collections import Counter, deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from refute.adversary.property.expressions import dotted
from refute.adversary.property.tables import of_kind

FUNCTION: Final = ast.FunctionDef | ast.AsyncFunctionDef
_CONDITIONAL: Final = ast.If | ast.IfExp | ast.BoolOp | ast.Lambda | ast.ExceptHandler
_PLAIN: Final = frozenset(
    name
    for kind in (
        str,
        bytes,
        int,
        float,
        complex,
        list,
        tuple,
        dict,
        set,
        frozenset,
        deque,
        Counter,
        datetime,
        timedelta,
    )
    for name in dir(kind)
)


def dependences(tree: ast.Module) -> dict[str, frozenset[str]]:
    """Function or method name → what its answer hangs on: files, callers, the moment; through functions that it calls.

    A clock that a parameter may replace does not count: it is asked only under a condition.
    """
    direct: dict[str, set[str]] = {}
    mentioned: dict[str, set[str]] = {}
    for function in (node for node in ast.walk(tree) if isinstance(node, FUNCTION)):
        calls = [(dotted(call.func) or _method(call), only) for call, only in _calls(function.body)]
        direct.setdefault(function.name, set()).update(
            row["reads"]
            for row in of_kind("calls")
            if any(row["pattern"].fullmatch(name) and (row.get("sometimes") or not only) for name, only in calls)
        )
        names = (name.removeprefix("self.").removeprefix("cls.") for name, _ in calls)
        mentioned.setdefault(function.name, set()).update(names)
    return {name: frozenset(found) for name, found in _through(direct, mentioned).items()}


def raised_by_name(tree: ast.Module) -> dict[str, set[str]]:
    """Function → exceptions that its body or a function of the module that it mentions raises by name."""
    functions = {node.name: node for node in tree.body if isinstance(node, FUNCTION)}
    mentioned = {
        name: {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} for name, node in functions.items()
    }
    return _through({name: raised(node) for name, node in functions.items()}, mentioned)


def raised(node: ast.AST) -> set[str]:
    """Exceptions that code raises by name."""
    errors = [inner.exc for inner in ast.walk(node) if isinstance(inner, ast.Raise) and inner.exc is not None]
    names = {dotted(error.func if isinstance(error, ast.Call) else error) for error in errors}
    return {name for name in names if name and name[:1].isupper()}


def wants_objects(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether an attribute is read of an argument, or of a part of one, that plain data lacks: a node's `.next`.

    Problem statements write such an argument as a list (`Input: head = [1, 2]`), which is no call that could be made.
    """
    names = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)} - {"self", "cls"}
    names |= {name for node in ast.walk(function) for name in _bound_without_a_call(node)}
    return any(
        isinstance(node, ast.Attribute) and node.attr not in _PLAIN and _root(node.value) in names
        for node in ast.walk(function)
    )


def _bound_without_a_call(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Assign(value=value) | ast.For(iter=value) | ast.comprehension(iter=value):
            parts = list(ast.walk(value))
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(one, ast.Name) for one in parts) and not any(isinstance(one, ast.Call) for one in parts):
                yield from (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _method(call: ast.Call) -> str:
    """A method of whatever was computed: `Path(name).read_text` is `.read_text`."""
    return f".{call.func.attr}" if isinstance(call.func, ast.Attribute) else ""


def _calls(body: list[ast.stmt]) -> Iterator[tuple[ast.Call, bool]]:
    """Every call below these statements, and whether it happens only under a condition."""
    waiting: list[tuple[ast.AST, bool]] = [(node, False) for node in body]
    while waiting:
        node, conditional = waiting.pop()
        if isinstance(node, ast.Call):
            yield node, conditional
        inner = conditional or isinstance(node, _CONDITIONAL)
        waiting += [(child, inner) for child in ast.iter_child_nodes(node)]


def _through(direct: dict[str, set[str]], mentioned: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same with what functions mentioned bring: no chain of calls is longer than there are functions."""
    for _ in direct:
        found = {name: own.union(*(direct[o] for o in mentioned[name] & direct.keys())) for name, own in direct.items()}
        if found == direct:
            break
        direct = found
    return direct
