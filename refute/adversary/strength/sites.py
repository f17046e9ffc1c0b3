"""Where a mutant may be seeded: code that does something, and not what only speaks to people or to type checkers."""

import ast
from collections.abc import Iterator
from typing import Final, TypeGuard

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
    for part in (*_documentation(node), *_messages(node), *_message_parts(node)):
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


def _message_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Assignments of a function whose names are read in nothing but the messages of its errors."""
    if not isinstance(node, FUNCTION):
        return
    parts = list(ast.walk(node))
    told = {id(below) for part in parts for message in _messages(part) for below in ast.walk(message)}
    outside = {name for part in parts if isinstance(part, ast.Global | ast.Nonlocal) for name in part.names}
    assigned = [part for part in parts if isinstance(part, ast.Assign | ast.AugAssign | ast.AnnAssign)]
    while True:
        reads = [(part.id, id(part) in told) for part in parts if _is_read(part)]
        only_told = {name for name, _ in reads} - {name for name, there in reads if not there} - outside
        found = [one for one in assigned if id(one) not in told and (names := _names(one)) and names <= only_told]
        if not found:
            return
        yield from found
        told |= {id(below) for one in found for below in ast.walk(one)}


def _is_read(part: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)


def _names(assignment: ast.Assign | ast.AugAssign | ast.AnnAssign) -> set[str]:
    """The names that an assignment sets; empty where it sets anything else too."""
    targets = assignment.targets if isinstance(assignment, ast.Assign) else [assignment.target]
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    return names if len(names) == len(targets) else set()
