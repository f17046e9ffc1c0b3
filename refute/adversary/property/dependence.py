"""What a function does beside computing with plain arguments, read from its source without running it."""

import ast
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from refute.adversary.property.expressions import dotted
from refute.adversary.property.tables import of_kind

FUNCTION: Final = ast.FunctionDef | ast.AsyncFunctionDef
_CONDITIONAL: Final = ast.If | ast.IfExp | ast.BoolOp | ast.Lambda | ast.ExceptHandler
_OF_PLAIN_DATA: Final = (str, bytes, int, float, complex, list, tuple, dict, set, deque, Counter, datetime, timedelta)
_PLAIN: Final = frozenset(name for kind in _OF_PLAIN_DATA for name in dir(kind))


@dataclass(slots=True)
class Beside:
    """What calls of a function do, those that it makes itself included."""

    reads: set[str]
    """What its answer hangs on: `files`, `callers`, the `moment`."""
    raises: set[str]
    """Exceptions by name: its way to refuse inputs."""
    calls: set[str]


def beside(tree: ast.Module) -> dict[str, Beside]:
    """Function or method name → what it does, through the functions of the module that it calls.

    A clock that a parameter may replace does not count: it is asked only under a condition.
    """
    found: dict[str, Beside] = {}
    for function in (node for node in ast.walk(tree) if isinstance(node, FUNCTION)):
        calls = [(dotted(call.func) or _method(call), only) for call, only in _calls(function.body)]
        own = found.setdefault(function.name, Beside(set(), set(), set()))
        own.calls |= {name.removeprefix("self.").removeprefix("cls.") for name, _ in calls}
        own.calls |= {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}  # `key=f` calls it, too
        own.raises |= _raised(function)
        for row in of_kind("calls"):
            if any(row["pattern"].fullmatch(name) and (row.get("sometimes") or not only) for name, only in calls):
                own.reads.add(row["reads"])
    for _ in found:  # no chain of calls is longer than there are functions
        before = [(len(one.reads), len(one.raises)) for one in found.values()]
        for one in found.values():
            for called in one.calls & found.keys():
                one.reads |= found[called].reads
                one.raises |= found[called].raises
        if before == [(len(one.reads), len(one.raises)) for one in found.values()]:
            break
    return found


def _raised(node: ast.AST) -> set[str]:
    errors = [inner.exc for inner in ast.walk(node) if isinstance(inner, ast.Raise) and inner.exc is not None]
    names = {dotted(error.func if isinstance(error, ast.Call) else error) for error in errors}
    return {name for name in names if name and name[:1].isupper()}


def wants_objects(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether an attribute is read of an argument, or of what it is assigned to, that plain data lacks: `.next`.

    Problem statements write such an argument as a list (`Input: head = [1, 2]`), which is no call that could be made.
    """
    names = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)} - {"self", "cls"}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and not any(isinstance(one, ast.Call) for one in ast.walk(node.value)):
            names |= {one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    read = (node for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr not in _PLAIN)
    return any(isinstance(node.value, ast.Name) and node.value.id in names for node in read)


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
