"""A module without its code: what a caller may know of it. Claims-first tests are written from this."""

import ast
import copy
from typing import Final

from refute.adversary.references import last_name
from refute.python_syntax import FUNCTION, parsed_or_none

MAX_DOCSTRING_CHARS: Final = 1_200
DECLARING: Final = frozenset(
    {"ArgumentParser", "add_argument", "add_parser", "add_mutually_exclusive_group", "command", "group", "option"}
    | {"argument", "Option", "Argument"}
)
"""Calls by which argparse, click and typer are told of a command line."""
ENUMERATIONS: Final = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
ELIDED: Final = ast.Constant(...)
"""Stands for a body, and for a value."""


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
    shown = ast.Module(body=_shown(tree, in_class=False, members=False), type_ignores=[])
    return ast.unparse(shown) if shown.body else ""


def _shown(node: ast.Module | ast.ClassDef, *, in_class: bool, members: bool) -> list[ast.stmt]:
    """What a caller may see of a module or class: signatures, fields with plain defaults, members of an enumeration."""
    found: list[ast.stmt] = _docstring(node)
    for one in node.body:
        match one:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if _is_public(name):
                found.append(_with_body(one, _docstring(one)))
            case ast.ClassDef(name=name, bases=bases) if _is_public(name):
                enumerates = any(last_name(base) in ENUMERATIONS for base in bases)
                found.append(_with_body(one, _shown(one, in_class=True, members=enumerates)))
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if _is_public(name):
                kept = in_class and value is not None and _is_plain(value)
                found.append(one if kept else ast.AnnAssign(target=one.target, annotation=one.annotation, simple=1))
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if members and _is_public(name):
                shown = value if _is_plain(value) else ELIDED
                found.append(ast.Assign(targets=one.targets, value=shown, lineno=0))
    return found


def _with_body(node: ast.stmt, body: list[ast.stmt]) -> ast.stmt:
    shown = copy.copy(node)
    shown.body = body or [ast.Expr(ELIDED)]  # type: ignore[attr-defined]  # of a function or class
    return shown


def command_line(source: str) -> str:
    """What a program says of its command line: its docstring, and the declarations of commands, options and arguments.

    Args:
        source: a program's text; of one that is no Python nothing is shown.
    """
    tree = parsed_or_none(source)
    if tree is None:
        return ""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and last_name(node) in DECLARING]
    calls.sort(key=lambda node: (node.lineno, node.col_offset))
    return "\n".join([*map(ast.unparse, _docstring(tree)), *(f"{last_name(call)}({_plain(call)})" for call in calls)])


def _plain(call: ast.Call) -> str:
    """The arguments that are texts, numbers or names; a callback would show code."""
    plain = (ast.Constant, ast.Name, ast.Attribute, ast.List, ast.Tuple, ast.UnaryOp)
    given = [ast.unparse(one) for one in call.args if isinstance(one, plain)]
    named = [f"{one.arg}={ast.unparse(one.value)}" for one in call.keywords if one.arg and isinstance(one.value, plain)]
    return ", ".join([*given, *named])


def _is_plain(value: ast.expr) -> bool:
    plain = (ast.Constant, ast.UnaryOp, ast.USub, ast.Tuple, ast.Load)
    return all(isinstance(part, plain) for part in ast.walk(value))


def _docstring(node: ast.Module | ast.ClassDef | FUNCTION) -> list[ast.stmt]:
    """The docstring as a statement, cut where it is long; none where there is none."""
    text = ast.get_docstring(node)
    if not text:
        return []
    cut = text if len(text) <= MAX_DOCSTRING_CHARS else text[:MAX_DOCSTRING_CHARS] + " […]"
    return [ast.Expr(ast.Constant(cut))]


def _is_public(name: str) -> bool:
    """Whether callers may use a name: no underscore before it, or two on both sides."""
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))
