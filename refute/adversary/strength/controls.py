"""The code without a fault, written the way mutants are: what fails on it says nothing about mutants.

One control is only written anew; in the other every function also has a statement that does nothing, so that its byte
code differs like a mutant's. Code that looks at itself, to misbehave where it was changed, fails on it too.
"""

import ast
from typing import Final

from refute.python_syntax import parse_python

FUNCTION: Final = ast.FunctionDef | ast.AsyncFunctionDef


def rewritten(source: str) -> str:
    """A module's text, parsed and written again.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it cannot be parsed.
    """
    return ast.unparse(parse_python(source))


def padded(source: str, name: str) -> str:
    """The same with a statement without effect in the module and in each function.

    Args:
        source: the module's text.
        name: of a variable that the code has nothing to do with.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it cannot be parsed.
    """
    tree = parse_python(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | FUNCTION):
            place = after_headings(node.body)
            node.body[place:place] = parse_python(f"{name} = None\ndel {name}").body
    return ast.unparse(ast.fix_missing_locations(tree))


def after_headings(body: list[ast.stmt]) -> int:
    """Where statements may be added: behind docstring and `from __future__` imports, which must come first."""
    place = 0
    for node in body:
        match node:
            case ast.Expr(value=ast.Constant(value=str())) | ast.ImportFrom(module="__future__"):
                place += 1
            case _:
                break
    return place
