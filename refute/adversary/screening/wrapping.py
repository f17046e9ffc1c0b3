"""Decorators of a test: one of the file's own, or of the implementation's, may keep its failure from being seen."""

import ast
from collections.abc import Iterator
from typing import Final

from refute.adversary.screening.resolution import Resolution

HARMLESS: Final = ("pytest.mark", "hypothesis")
"""What marks a test, parametrizes it, or draws its input."""


def wrappers(test: ast.FunctionDef, names: Resolution) -> Iterator[str]:
    """Why a test may not run for what is wrapped around it.

    Args:
        test: the function.
        names: resolves the file's names.
    """
    for decorator in test.decorator_list:
        callee = decorator
        while isinstance(callee, ast.Call):
            callee = callee.func
        dotted = names.dotted(callee)
        if not dotted.startswith(tuple(f"{known}." for known in HARMLESS)):
            yield f"is wrapped by {ast.unparse(callee)[:80]}, which may keep its failure from being seen"
