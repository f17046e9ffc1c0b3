"""Types that a test writes as text, as all its annotations are under `from __future__ import annotations`."""

import ast
from types import ModuleType
from typing import Any, Final

PARTS: Final = (
    *(ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List),
    *(ast.BinOp, ast.BitOr, ast.Constant, ast.Load),
)
"""What a type is written of: nothing that calls."""
MOST: Final = 1_000
"""Characters of a type."""


def as_type(written: Any, module: ModuleType | None) -> Any:
    """The type that a text names in the test's module, since there is no such module where it goes.

    Returns:
        What is no text, or names nothing there, as it is.
    """
    if not isinstance(written, str) or module is None or len(written) > MOST:
        return written
    try:
        tree = ast.parse(written, mode="eval")
        if not all(isinstance(node, PARTS) for node in ast.walk(tree)):
            return written
        return eval(compile(tree, "<annotation>", "eval"), vars(module))  # noqa: S307  # names and subscripts
    except Exception:  # as it would be for whoever asks for it there
        return written
