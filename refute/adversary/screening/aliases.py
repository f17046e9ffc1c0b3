"""Names of a test that stand for one and the same object: comparing these with each other says nothing."""

import ast
import copy
from collections import Counter
from collections.abc import Mapping

ROUNDS = 5
"""Aliases of aliases that are followed."""


def aliases_in(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, str]:
    """Name → the name that it was made from, for names that are assigned no more than once.

    Args:
        function: `b = a` and `a = b = f()` in it make an alias.
    """
    stored = Counter(
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    found: dict[str, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            first = node.value.id if isinstance(node.value, ast.Name) else names[0] if names else ""
            if max((stored[name] for name in (*names, first)), default=0) <= 1:
                found |= {name: first for name in names if name != first}
    for _ in range(ROUNDS):
        found = {name: found.get(other, other) for name, other in found.items()}
    return found


def renamed(expression: ast.expr, aliases: Mapping[str, str]) -> ast.expr:
    """The expression with every alias written as what it stands for."""
    if not aliases:
        return expression
    changed = copy.deepcopy(expression)
    for node in ast.walk(changed):
        if isinstance(node, ast.Name):
            node.id = aliases.get(node.id, node.id)
    return changed
