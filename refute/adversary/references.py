"""Which test functions of a generated file refer to the implementation, directly or through the file's helpers."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from refute.python_syntax import FUNCTION, parsed_or_none

MAX_COMMAND: Final = 10_000
"""Characters of a text that may be a command."""


class ImplementationUse:
    """Answers for one generated file.

    Args:
        source: the file; one that does not parse refers to nothing.
        modules: dotted names of the implementation's modules.
        programs: paths of the implementation's files, where tests run them instead of importing them.
    """

    def __init__(self, source: str, modules: Sequence[str], programs: Sequence[str] = ()) -> None:
        self.source = source
        self._programs = tuple(programs)
        self._modules = {part for name in modules for part in (name, name.split(".")[0])}
        packages = (path.removesuffix("/__main__.py") for path in programs if path.endswith("/__main__.py"))
        self._modules |= {package.rpartition("/")[2] for package in packages}  # `python -m package`
        self._known: dict[str, bool] = {}
        self._body = body_of(source)

    def refers(self, name: str) -> bool:
        """Whether a top-level name, or one that it uses, names a module of the implementation."""
        if name not in self._known:
            self._known[name] = any(map(self._names_module, needed_for({name}, self._body)))
        return self._known[name]

    def imports(self, node: ast.Import | ast.ImportFrom) -> bool:
        """Whether a statement imports from the implementation."""
        if isinstance(node, ast.ImportFrom):
            return self._is_ours(node.module or "")
        return any(self._is_ours(alias.name) for alias in node.names)

    def _names_module(self, node: ast.stmt) -> bool:
        parts = list(ast.walk(node))
        silent = {id(part.value) for part in parts if isinstance(part, ast.Expr)}  # docstrings
        for part in (one for one in parts if id(one) not in silent or not isinstance(one, ast.Constant)):
            match part:
                case ast.Import() | ast.ImportFrom():
                    found = self.imports(part)
                case ast.Constant(value=str(text)):
                    found = text in self._modules or self._is_program(text)
                case _:
                    found = False
            if found:
                return True
        return False

    def _is_program(self, text: str) -> bool:
        """Whether a text is the path of a program, from wherever it is seen, or a command that names it."""
        words = text.split() if len(text) < MAX_COMMAND else ()
        return any(word == path or word.endswith(f"/{path}") for word in words for path in self._programs)

    def _is_ours(self, dotted: str) -> bool:
        return dotted in self._modules or dotted.partition(".")[0] in self._modules


def body_of(source: str) -> list[ast.stmt]:
    """The statements of a file; none of one that does not parse."""
    tree = parsed_or_none(source)
    return tree.body if tree else []


def function_of(source: str, name: str) -> ast.FunctionDef | None:
    """The only function of a file that has a name; None where there is none, or more than one."""
    found = [node for node in body_of(source) if isinstance(node, ast.FunctionDef) and node.name == name]
    return found[0] if len(found) == 1 else None


def needed_by(source: str, names: Iterable[str]) -> list[ast.stmt]:
    """The statements of a file that bind these names, and what those use."""
    return needed_for(set(names), body_of(source))


def defined(node: ast.stmt) -> Iterable[str]:
    """The names that a top-level statement binds."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:
                yield alias.asname or alias.name.split(".")[0]
        case _:
            for part in ast.walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    yield part.id


def at_top(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """What runs at import, also inside `if`, `try`, `with` and the like; not what functions and classes hold."""
    for node in body:
        yield node
        if not isinstance(node, FUNCTION | ast.ClassDef | ast.Lambda):
            for field in ("body", "orelse", "finalbody", "handlers", "cases"):
                yield from at_top(getattr(node, field, ()))


def needed_for(names: set[str], body: Iterable[ast.stmt]) -> list[ast.stmt]:
    """The statements of a file that bind these names, and what those use, in their order."""
    body = list(body)
    waiting = body
    while more := [node for node in waiting if names.intersection(defined(node))]:
        waiting = [node for node in waiting if node not in more]
        names = names.union(*map(loaded, more))
    return [node for node in body if node not in waiting]


def bound_in(scope: ast.AST) -> set[str]:
    """Names that belong to a function, lambda or comprehension itself, its parameters among them."""
    bound: set[str] = set()
    shared: set[str] = set()
    queue = list(ast.iter_child_nodes(scope))
    while queue:
        node = queue.pop()
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
                continue
            case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                continue
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                bound.add(name)
            case ast.Import() | ast.ImportFrom():
                bound.update(defined(node))
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound.add(name)
            case ast.Global(names=names):
                shared.update(names)
        queue.extend(ast.iter_child_nodes(node))
    return bound - shared


def loaded(node: ast.AST) -> set[str]:
    """Names read anywhere below, and parameters: a fixture is used by its name."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    return names | {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}


def last_name(node: ast.expr) -> str:
    """The last name of what is named or called: `raises` of `pytest.raises`; empty where it has none."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=function):
            return last_name(function)
    return ""


def names_in(tree: ast.AST) -> set[str]:
    """Every name and attribute below."""
    return {getattr(node, "id", "") or getattr(node, "attr", "") for node in ast.walk(tree)} - {""}


def mentioned(tree: ast.AST) -> set[str]:
    """Every name, attribute, import and identifier in quotes below."""
    names = names_in(tree)
    for node in ast.walk(tree):
        match node:
            case ast.alias(name=name):
                names.add(name)
            case ast.Constant(value=str(text)) if text.isidentifier():
                names.add(text)
    return names
