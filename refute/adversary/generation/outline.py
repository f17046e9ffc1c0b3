"""A module without its code: what a caller may know of it. Claims-first tests are written from this."""

import ast
import copy
from typing import Final

from refute.python_syntax import parsed_or_none

MAX_DOCSTRING_CHARS: Final = 1_200
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
DECLARING: Final = frozenset(
    {"ArgumentParser", "add_argument", "add_parser", "add_mutually_exclusive_group", "command", "group", "option"}
    | {"argument", "Option", "Argument"}
)
"""Calls by which argparse, click and typer are told of a command line."""
ELIDED: Final = ast.Expr(ast.Constant(...))
"""Stands for a body."""


def outline(source: str) -> str:
    """Signatures, docstrings, class fields and the types of constants, as Python text without any body.

    Args:
        source: a module's text.

    Returns:
        Text that shows no statement of the module; empty where it cannot be parsed.
    """
    tree = parsed_or_none(source)
    if tree is None:
        return ""
    kept = [*docstring_of(tree), *(part for node in tree.body for part in visible(node))]
    return ast.unparse(ast.Module(body=kept, type_ignores=[])) if kept else ""


def command_line(source: str) -> str:
    """What a program says of its command line: its docstring, and the declarations of commands, options and arguments.

    Args:
        source: a program's text; of one that is no Python nothing is shown.
    """
    tree = parsed_or_none(source)
    if tree is None:
        return ""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) in DECLARING]
    calls.sort(key=lambda node: (node.lineno, node.col_offset))
    return "\n".join([*map(ast.unparse, docstring_of(tree)), *(f"{_called(call)}({_plain(call)})" for call in calls)])


def _called(call: ast.Call) -> str:
    """The last part of what is called."""
    return ast.unparse(call.func).rpartition(".")[2] if isinstance(call.func, ast.Name | ast.Attribute) else ""


def _plain(call: ast.Call) -> str:
    """The arguments that are texts, numbers or names; a callback would show code."""
    plain = (ast.Constant, ast.Name, ast.Attribute, ast.List, ast.Tuple, ast.UnaryOp)
    given = [ast.unparse(one) for one in call.args if isinstance(one, plain)]
    named = [f"{one.arg}={ast.unparse(one.value)}" for one in call.keywords if one.arg and isinstance(one.value, plain)]
    return ", ".join([*given, *named])


def visible(node: ast.stmt) -> list[ast.stmt]:
    """What a caller may see of one statement."""
    if isinstance(node, FUNCTION):
        return [signature(node)] if is_public(node.name) else []
    if isinstance(node, ast.ClassDef):
        return [_class(node)] if is_public(node.name) else []
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and is_public(node.target.id):
        return [ast.AnnAssign(target=node.target, annotation=node.annotation, value=None, simple=1)]
    return []


def _class(node: ast.ClassDef) -> ast.ClassDef:
    shown = copy.copy(node)
    shown.body = [*docstring_of(node), *(part for inner in node.body for part in visible(inner))] or [ELIDED]
    return shown


def signature(node: FUNCTION) -> ast.stmt:
    """A function with its docstring alone for a body."""
    shown = copy.copy(node)
    shown.body = docstring_of(node) or [ELIDED]
    return shown


def docstring_of(node: ast.Module | ast.ClassDef | FUNCTION) -> list[ast.stmt]:
    """The docstring as a statement, cut where it is long; none where there is none."""
    text = ast.get_docstring(node)
    if not text:
        return []
    cut = text if len(text) <= MAX_DOCSTRING_CHARS else text[:MAX_DOCSTRING_CHARS] + " […]"
    return [ast.Expr(ast.Constant(cut))]


def is_public(name: str) -> bool:
    """Whether callers may use a name: no underscore before it, or two on both sides."""
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))
