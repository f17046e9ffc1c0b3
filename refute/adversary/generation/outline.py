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
ENUMERATIONS: Final = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
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
    return _last_name(call.func)


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
    members = _member if any(_last_name(base) in ENUMERATIONS for base in node.bases) else _field
    shown = copy.copy(node)
    parts = [part for inner in node.body for part in (members(inner) or visible(inner))]
    shown.body = [*docstring_of(node), *parts] or [ELIDED]
    return shown


def _field(node: ast.stmt) -> list[ast.stmt]:
    """A field with its default, which belongs to the signature of its class as a parameter's does to a function's."""
    match node:
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if is_public(name) and _is_plain(value):
            return [node]
    return []


def _member(node: ast.stmt) -> list[ast.stmt]:
    """A member of an enumeration; what it stands for as far as that is plain."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if is_public(name):
            return [node if _is_plain(value) else ast.Assign(targets=[target], value=ast.Constant(...), lineno=0)]
    return []


def _is_plain(value: ast.expr) -> bool:
    plain = (ast.Constant, ast.UnaryOp, ast.USub, ast.Tuple, ast.Load)
    return all(isinstance(part, plain) for part in ast.walk(value))


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


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
