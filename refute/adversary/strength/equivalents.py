"""Changes that may make no difference: survivors of this kind say little against an attack. Told, never left out."""

import ast
from typing import Final

BOUNDARIES: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
PATIENCE: Final = frozenset({"timeout", "delay", "interval", "maxsize", "buffering", "stacklevel", "chunksize"})


def suspicion(tree: ast.AST, site: ast.AST) -> str:
    """Why a change of a node may not be noticeable; empty where nothing suggests it.

    Args:
        tree: that the node is part of.
        site: the node before its change.
    """
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    parent = parents.get(site)
    returned = {ast.unparse(one.value) for one in ast.walk(tree) if isinstance(one, ast.Return) and one.value}
    if isinstance(site, ast.Compare) and _picks_one_of_both(site, parent, returned):
        return "where both sides are equal, either choice is the same"
    if isinstance(site, ast.Constant) and _is_patience(site, parent):
        return "changes how long or how much at a time, not what comes out"
    if isinstance(site, ast.Return) and _is_success(site) and _exits_with_results(tree):
        return "a program that exits with None succeeds as with 0"
    return ""


def _picks_one_of_both(test: ast.Compare, parent: ast.AST | None, returned: set[str]) -> bool:
    """`if a < b: b = a`, `a if a < b else b`, `if a < b: return b` before `return a`: equal values give the same."""
    if len(test.ops) != 1 or not isinstance(test.ops[0], BOUNDARIES):
        return False
    sides = {ast.unparse(test.left), ast.unparse(test.comparators[0])}
    match parent:
        case ast.IfExp(test=tested, body=body, orelse=orelse) if tested is test:
            return {ast.unparse(body), ast.unparse(orelse)} == sides
        case ast.If(test=tested, body=[ast.Assign(targets=[target], value=value)], orelse=[]) if tested is test:
            return {ast.unparse(target), ast.unparse(value)} == sides
        case ast.If(test=tested, body=[ast.Return(value=ast.expr() as value)], orelse=[]) if tested is test:
            return ast.unparse(value) in sides and (sides - {ast.unparse(value)}) <= returned
        case _:
            return False


def _is_success(node: ast.Return) -> bool:
    return isinstance(node.value, ast.Constant) and type(node.value.value) is int and node.value.value == 0


def _exits_with_results(tree: ast.AST) -> bool:
    """`sys.exit(main())`, `raise SystemExit(main())`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="exit") | ast.Name(id="exit" | "SystemExit"), args=[ast.Call()]):
                return True
    return False


def _is_patience(node: ast.Constant, parent: ast.AST | None) -> bool:
    match parent:
        case ast.keyword(arg=str(name)):
            return name in PATIENCE
        case ast.Call(func=ast.Attribute(attr="sleep") | ast.Name(id="sleep"), args=args):
            return node in args
        case _:
            return False
