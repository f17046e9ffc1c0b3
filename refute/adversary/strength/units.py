"""A module's definitions as units that claims may name and that refer to one another by name."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from refute.adversary.attack import SourceModule
from refute.python_syntax import parsed_or_none

FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unit:
    """A function, a method, a class without its methods, or a constant of a module."""

    path: str
    name: str
    owner: str = ""
    """The class of a method."""
    is_class: bool = False
    is_constant: bool = False
    lines: frozenset[int]
    uses: frozenset[str]
    """Names, and attributes of whatever object, that stand in it."""

    @property
    def key(self) -> str:
        """As code names it: `Cache.get`, `clamp`."""
        return f"{self.owner}.{self.name}" if self.owner else self.name

    @property
    def shown(self) -> str:
        """For people: `class Cache`, `Cache.get`, `clamp`."""
        return f"class {self.name}" if self.is_class else self.key

    @property
    def is_special(self) -> bool:
        """Whether it is a method that Python calls by itself (`__init__`, `__eq__`)."""
        return bool(self.owner) and self.name.startswith("__") and self.name.endswith("__")


def units_of(modules: Iterable[SourceModule]) -> tuple[Unit, ...]:
    """Every unit, in the order of the files; a module that cannot be parsed has none."""
    found: list[Unit] = []
    for one in modules:
        tree = parsed_or_none(one.source)
        found += _units(tree.body, one.module.path) if tree else ()
    return tuple(found)


def _units(body: Iterable[ast.AST], path: str) -> Iterator[Unit]:
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield _unit(path, node.name, [node])
            case ast.ClassDef():
                methods = [part for part in node.body if isinstance(part, FUNCTION)]
                rest = [part for part in node.body if part not in methods]
                yield _unit(path, node.name, [*node.decorator_list, *node.bases, *rest], is_class=True)
                yield from (_unit(path, method.name, [method], owner=node.name) for method in methods)
            case ast.If() | ast.Try() | ast.With() | ast.ExceptHandler():
                yield from _units(ast.iter_child_nodes(node), path)
            case ast.Assign() | ast.AnnAssign():
                for part in ast.walk(node):
                    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                        yield _unit(path, part.id, [node], is_constant=True)


def _unit(
    path: str,
    name: str,
    nodes: list[ast.stmt | ast.expr],
    *,
    owner: str = "",
    is_class: bool = False,
    is_constant: bool = False,
) -> Unit:
    parts = [part for node in nodes for part in ast.walk(node)]
    spans = [(node.lineno, node.end_lineno or node.lineno) for node in nodes]
    return Unit(
        path=path,
        name=name,
        owner=owner,
        is_class=is_class,
        is_constant=is_constant,
        lines=frozenset(line for first, last in spans for line in range(first, last + 1)),
        uses=frozenset(
            part.id if isinstance(part, ast.Name) else part.attr
            for part in parts
            if isinstance(part, ast.Name | ast.Attribute)
        ),
    )
