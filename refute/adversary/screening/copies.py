"""Helpers of a test that are pasted from the implementation: what it is held against would be itself."""

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from refute.adversary.attack import SourceModule
from refute.python_syntax import parsed_or_none

MIN_NODES: Final = 12
"""Of a body: anybody would write `return x` or `return a + b` in the same way."""
UNSEEN: Final = frozenset({"annotation", "returns", "type_comment", "simple", "ctx", "kind"})
"""Fields that make no difference to what code does."""
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def functions_of(modules: Sequence[SourceModule]) -> dict[str, str]:
    """What the implementation's functions and methods do → where one of them stands: `sort (a.py:12)`."""
    found: dict[str, str] = {}
    for one in modules:
        tree = parsed_or_none(one.source)
        for node in _functions(tree) if tree else ():
            found.setdefault(_essence(node), f"{node.name} ({one.module.path}:{node.lineno})")
    return found


def copies(closure: Iterable[ast.stmt], implementation: Mapping[str, str]) -> Iterator[str]:
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
            if gives and len(inside) >= MIN_NODES:
                yield node


def _essence(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """A function without docstring, decorators, annotations and the name it has; it may call itself by that.

    Not by `ast.dump`, which recurses: hostile text nests deep.
    """
    body = function.body[ast.get_docstring(function, clean=False) is not None :]
    parts = [type(function).__name__, str(len(body))]
    queue: deque[ast.AST] = deque([function.args, *body])
    while queue:
        node = queue.popleft()
        parts.append(type(node).__name__.replace("AnnAssign", "Assign"))
        for field, value in ast.iter_fields(node):
            if field not in UNSEEN:
                for one in value if isinstance(value, list) else [value]:
                    own = isinstance(node, ast.Name) and one == function.name
                    parts.append(field.rstrip("s") if isinstance(one, ast.AST) else "" if own else repr(one))
                    queue += [one] if isinstance(one, ast.AST) else []
    return " ".join(parts)
