"""An implementation's surface, read from its source without running it."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from refute.adversary.attack import SourceModule
from refute.adversary.property.dependence import beside, wants_objects
from refute.adversary.property.expressions import source_of
from refute.adversary.property.surface import Documented, Face, Function, Parameter, Surface
from refute.adversary.references import defined
from refute.python_syntax import FUNCTION, parsed_or_none

_RUN_ELSEWHERE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def read_surface(modules: Iterable[SourceModule]) -> Surface:
    """Read every module's face; a module that does not parse is opaque and empty."""
    return Surface(faces=tuple(_read_face(module) for module in modules))


def _read_face(module: SourceModule) -> Face:
    tree = parsed_or_none(module.source)
    try:
        return _face(module.module.name, tree)
    except RecursionError:  # code that nests too deep for its reader
        return _face(module.module.name, None)


def _face(name: str, tree: ast.Module | None) -> Face:
    if tree is None:
        return Face(module=name)
    top = list(_at_top(tree.body))
    imports = [node for node in top if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name for node in top for name in defined(node)}
    classes = [node for node in top if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    does = beside(tree)
    functions = [*_functions(name, top), *(f for node in classes for f in _functions(name, node.body, node.name))]
    return Face(
        module=name,
        names=frozenset(names - {"*"}),
        defined=frozenset(names.difference(*map(defined, imports))),
        functions=tuple(
            replace(
                function,
                depends_on=frozenset(does[function.name].reads),
                refuses_with=tuple(sorted(does[function.name].raises)),
            )
            for function in functions
        ),
        classes=frozenset(node.name for node in classes),
        docstrings=tuple(_docstrings(name, tree, top)),
        opaque="*" in names or "__getattr__" in names,
    )


def _at_top(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run at import, also inside `if`, `try` and `with` at the top level."""
    for node in body:
        yield node
        if not isinstance(node, _RUN_ELSEWHERE):
            for field in ("body", "orelse", "finalbody"):
                yield from _at_top(getattr(node, field, []))
            for handler in getattr(node, "handlers", []):
                yield from _at_top(handler.body)


def _functions(module: str, body: Iterable[ast.stmt], owner: str = "") -> Iterator[Function]:
    for node in body:
        if isinstance(node, FUNCTION) and not node.name.startswith("_"):
            yield _function(module, node, owner)


def _function(module: str, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> Function:
    decorators = {source_of(decorator) for decorator in node.decorator_list}
    parameters = tuple(_parameters(node.args))
    bound = owner and "staticmethod" not in decorators
    return Function(
        module=module,
        name=node.name,
        owner=owner,
        parameters=parameters[1:] if bound else parameters,
        docstring=ast.get_docstring(node) or "",
        form=ast.dump(node),
        is_async=isinstance(node, ast.AsyncFunctionDef),
        is_static=bool(owner) and bool(decorators & {"staticmethod", "classmethod"}),
        writes_output=_prints(node),
        answers=any(_answers(inner) for inner in ast.walk(node)),
        wants_objects=wants_objects(node),
    )


def _answers(node: ast.AST) -> bool:
    return isinstance(node, ast.Yield | ast.YieldFrom) or (isinstance(node, ast.Return) and node.value is not None)


def _prints(node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Call) and source_of(n.func) in {"print", "sys.stdout.write", "click.echo"}
        for n in ast.walk(node)
    )


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults += arguments.defaults
    for argument, default in zip(positional, defaults, strict=True):
        yield Parameter(name=argument.arg, annotation=argument.annotation, default=default)
    if arguments.vararg:
        yield Parameter(name=arguments.vararg.arg, annotation=None, default=None, variadic=True)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield Parameter(name=argument.arg, annotation=argument.annotation, default=default, keyword_only=True)
    if arguments.kwarg:
        yield Parameter(name=arguments.kwarg.arg, annotation=None, default=None, variadic=True)


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
