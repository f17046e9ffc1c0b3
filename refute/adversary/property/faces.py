"""Reads what an implementation offers to its importers from its source (`surface.Surface`)."""

import ast
import sys
from collections.abc import Iterable, Iterator

from refute.adversary.attack import SourceModule
from refute.adversary.property.dependence import beside
from refute.adversary.property.expressions import bound_names, substituted
from refute.adversary.property.kinds import kind_of
from refute.adversary.property.surface import Documented, Face, Function, Parameter, Surface, parameters_of
from refute.adversary.references import at_top, defined
from refute.python_syntax import FUNCTION, parsed_or_none


def read_surface(modules: Iterable[SourceModule]) -> Surface:
    """Read every module's face; a module that does not parse is opaque and empty."""
    return Surface(faces=tuple(_read_face(module) for module in modules))


def _read_face(module: SourceModule) -> Face:
    tree = parsed_or_none(module.source)
    try:
        return _face(module.module.name, tree) if tree is not None else Face(module=module.module.name)
    except RecursionError:  # code that nests too deep for its reader
        return Face(module=module.module.name)


def _face(name: str, tree: ast.Module) -> Face:
    top = [node for node in at_top(tree.body) if isinstance(node, ast.stmt)]
    imports = [node for node in top if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name for node in top for name in defined(node)}
    listing = (node for node in top if "__all__" in defined(node))
    listed = {one.value for node in listing for one in ast.walk(node) if isinstance(one, ast.Constant)}
    classes = [node for node in top if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    _spell_out_types(tree, top)
    does = beside(tree)
    # Of several definitions of one name, as overloads are, what is called is the last.
    functions = {
        (owner, node.name): Function(module=name, node=node, owner=owner, does=does[node.name])
        for owner, body in (("", top), *((one.name, one.body) for one in classes))
        for node in body
        if isinstance(node, FUNCTION) and not node.name.startswith("_") and not _sets(node)
    }
    return Face(
        module=name,
        names=frozenset(names - {"*"}),
        defined=frozenset(names.difference(*map(defined, imports))),
        exported=frozenset(names & listed),
        library=_of_library(top),
        bound=frozenset((bound_names([tree]) | set(_attributes(tree))).difference(*map(defined, imports))),
        functions=tuple(functions.values()),
        classes={node.name: _made_with(node) for node in classes},
        docstrings=tuple(_docstrings(name, tree, top)),
        opaque="*" in names or "__getattr__" in names,
    )


def _spell_out_types(tree: ast.Module, top: Iterable[ast.stmt]) -> None:
    """Write what a name of a type stands for (`Grid = list[list[int]]`) into the annotations of parameters."""
    pairs = ((node, node.value) for node in top if isinstance(node, ast.Assign | ast.AnnAssign))
    named = {name: held for node, held in pairs if held and kind_of(held, bare=True) for name in defined(node)}
    for node in ast.walk(tree) if named else ():
        if isinstance(node, ast.arg) and node.annotation is not None:
            node.annotation = substituted(node.annotation, named)


def _sets(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it is how a property of the same name is set or deleted."""
    return any(isinstance(one, ast.Attribute) and one.attr in {"setter", "deleter"} for one in node.decorator_list)


def _made_with(made: ast.ClassDef) -> tuple[Parameter, ...] | None:
    """What a class is called with: what `__init__` takes, or its fields, as of dataclasses; None where a base says."""
    makers = {node.name: node for node in made.body if isinstance(node, FUNCTION)}
    if maker := makers.get("__init__") or makers.get("__new__"):
        return parameters_of(maker.args)[1:]
    fields = ((one.target, one) for one in made.body if isinstance(one, ast.AnnAssign))
    found = tuple(
        Parameter(name=target.id, annotation=one.annotation, default=one.value)
        for target, one in fields
        if isinstance(target, ast.Name)
    )
    return found if found or not made.bases else None


def _of_library(top: Iterable[ast.stmt]) -> dict[str, str]:
    """Names → lines that import them from Python's own modules, where nothing else at the top level binds them."""
    found, others = dict[str, list[str]](), set[str]()
    for node in top:
        match node:
            case ast.Import(names=aliases):
                lines = [(alias.name, alias, f"import {ast.unparse(alias)}") for alias in aliases]
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                lines = [(module, alias, f"from {module} import {ast.unparse(alias)}") for alias in aliases]
            case _:
                lines = []
                others.update(defined(node))
        for module, alias, line in lines:
            name, top_name = alias.asname or alias.name.partition(".")[0], module.partition(".")[0]
            if top_name in sys.stdlib_module_names and top_name != "__future__":
                found.setdefault(name, []).append(line)
            else:
                others.add(name)
    return {name: "\n".join(lines) for name, lines in found.items() if name not in others}


def _attributes(tree: ast.Module) -> Iterator[str]:
    """Names of attributes that are set anywhere."""
    parts = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return (node.attr for node in parts if isinstance(node.ctx, ast.Store))


def _docstrings(module: str, tree: ast.Module, top: Iterable[ast.stmt]) -> Iterator[Documented]:
    documented: list[tuple[str, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]] = [("", tree)]
    for node in top:
        if isinstance(node, FUNCTION | ast.ClassDef):
            documented.append((node.name, node))
        if isinstance(node, ast.ClassDef):
            documented += [(f"{node.name}.{one.name}", one) for one in node.body if isinstance(one, FUNCTION)]
    for subject, holder in documented:
        if text := ast.get_docstring(holder):
            yield Documented(module=module, subject=subject, text=text)
