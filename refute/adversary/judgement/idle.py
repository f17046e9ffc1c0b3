"""Tests that pass without having asked the implementation anything: an empty loop, a way out before the check."""

import ast

from refute.adversary.references import ImplementationUse
from refute.python_syntax import parsed_or_none


def only_calls(test: str, use: ImplementationUse) -> bool:
    """Whether all that a test takes from the implementation are functions that it calls.

    Where none of these calls came to be made, nothing of the test was about the implementation. Constants, classes and
    whatever is passed on may decide a test without any call, so that one which uses such is left alone.

    Args:
        test: its function.
        use: of the file; one that cannot be parsed says nothing.
    """
    tree = parsed_or_none(use.source)
    if tree is None:
        return False
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == test]
    if len(functions) != 1:
        return False
    modules, names = _imported(tree, use)
    body = list(ast.walk(functions[0]))
    used = {id(node) for node in body if isinstance(node, ast.Name) and node.id in modules | names}
    called = set()
    for node in body:
        match node:
            case ast.Call(func=ast.Name(id=name) as found) if name in names and name[0].islower():
                called.add(id(found))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as found, attr=attribute)) if (
                name in modules and attribute[0].islower()
            ):
                called.add(id(found))
    return bool(used) and used == called


def _imported(tree: ast.Module, use: ImplementationUse) -> tuple[set[str], set[str]]:
    """Names that stand for modules of the implementation, and those of what was imported from them."""
    modules: set[str] = set()
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases) if use.imports(node):
                modules |= {alias.asname or alias.name.partition(".")[0] for alias in aliases}
            case ast.ImportFrom(names=aliases) if use.imports(node):
                names |= {alias.asname or alias.name for alias in aliases}
            case _:
                continue
    return modules, names
