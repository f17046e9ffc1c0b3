"""Helpers of a test that are pasted from the implementation: what it is held against would be itself."""

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from refute.adversary.attack import SourceModule
from refute.python_syntax import FUNCTION, form_of, nests_deeper, parsed_or_none

MAX_DEPTH: Final = 100
MIN_NODES: Final = 12
"""Of a body: anybody would write `return x` or `return a + b` in the same way."""


def functions_of(modules: Sequence[SourceModule]) -> dict[object, str]:
    """What the implementation's functions and methods do → where one of them stands: `sort (a.py:12)`."""
    found: dict[object, str] = {}
    for one in modules:
        tree = parsed_or_none(one.source)
        for node in _functions(tree) if tree else ():
            found.setdefault(_essence(node), f"{node.name} ({one.module.path}:{node.lineno})")
    return found


def copies(closure: Iterable[ast.stmt], implementation: Mapping[object, str]) -> Iterator[str]:
    """Why a test may not run for the functions that it brings along.

    Args:
        closure: every statement that runs with it.
        implementation: as `functions_of` gives it.
    """
    for node in (function for statement in closure for function in _functions(statement)):
        if original := implementation.get(_essence(node)):
            yield f"compares the implementation with itself: {node.name} is a copy of {original}"


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Those that give something back, as what is compared with must, and are long enough to tell."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTION):
            inside = [part for statement in node.body for part in ast.walk(statement)]
            gives = any(isinstance(part, ast.Return | ast.Yield) and part.value is not None for part in inside)
            if gives and len(inside) >= MIN_NODES and not nests_deeper(node, MAX_DEPTH):
                yield node


def _essence(function: ast.FunctionDef | ast.AsyncFunctionDef) -> object:
    """A function without docstring, decorators, annotations and the name it has; it may call itself by that."""
    body = copy.deepcopy(function.body[ast.get_docstring(function, clean=False) is not None :])
    for node in (part for statement in body for part in ast.walk(statement)):
        if isinstance(node, ast.Name) and node.id == function.name:
            node.id = ""
    plain = [_Plain().visit(statement) for statement in body]
    return type(function).__name__, form_of(function.args), form_of(plain)


class _Plain(ast.NodeTransformer):
    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        return node if node.value is None else ast.Assign(targets=[node.target], value=node.value)
