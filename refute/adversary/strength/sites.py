"""Where a mutant may be seeded: code that does something, and not what only speaks to people or to type checkers."""

import ast
from collections.abc import Iterator
from typing import Final

FUNCTION: Final = ast.FunctionDef | ast.AsyncFunctionDef
TOLD: Final = frozenset({"help", "description", "epilog", "metavar", "usage", "doc", "slots"})
"""Keyword arguments that only speak to people, or whose effect no claim is about."""
TEXT_CALLS: Final = frozenset({"debug", "info", "warning", "error", "exception", "critical", "log", "warn", "print"})


def sites_of(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes that may be changed, in the order of the file: code that runs when it is used, nothing that only tells."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        skipped.update(id(part) for part in _only_told(node))
    for node in _in_order(tree):
        if id(node) not in skipped:
            yield node


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        yield from _in_order(child)


def _only_told(node: ast.AST) -> Iterator[ast.AST]:
    """Parts below a node that no claim is about: what only speaks to people, to type checkers or to the shell."""
    for part in (*_documentation(node), *_messages(node)):
        yield from ast.walk(part)


def _documentation(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Module | ast.ClassDef | FUNCTION) and ast.get_docstring(node, clean=False) is not None:
        yield node.body[0]
    match node:
        case ast.AnnAssign(annotation=annotation) | ast.arg(annotation=ast.expr() as annotation):
            yield annotation
        case ast.FunctionDef(returns=ast.expr() as returns) | ast.AsyncFunctionDef(returns=ast.expr() as returns):
            yield returns
        case ast.Assign(targets=[ast.Name(id=name)]) if name.startswith("__") and name.endswith("__"):
            yield node
        case ast.Import() | ast.ImportFrom() | ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            yield node
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            yield node


def _messages(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Raise(exc=ast.Call(args=arguments)):
            yield from arguments
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))) if name in TEXT_CALLS:
            yield node
        case ast.keyword(arg=str(name)) if name in TOLD:
            yield node
        case ast.JoinedStr(values=values):
            yield from (value for value in values if isinstance(value, ast.Constant))
