"""The author's tests as units: what each one mocks, and what it names."""

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from refute.python_syntax import nests_deeper, parsed_or_none
from refute.ticket.mocks import Mock, dotted_name, find_mocks, imported_names

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_DEFINING: Final = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_MAX_BYTES: Final = 1_000_000
_MAX_TESTS: Final = 1_000
_MAX_NESTING: Final = 100
"""Levels of a syntax tree; what walks it here calls itself once or more for each."""
_MODULE_SET_UP: Final = frozenset({"setUpModule", "setup_module", "setup_function"})
_CLASS_SET_UP: Final = frozenset({"setUp", "setUpClass", "asyncSetUp", "setup_method", "setup_class", "setup"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One test function (or a whole program) with everything that it brings into play."""

    path: str
    mocks: frozenset[Mock]
    references: frozenset[str]
    """Dotted origins of all names and attributes, also of fixtures and local functions that it uses."""
    texts: frozenset[str]
    """Its string literals: commands that it starts may stand there."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What stands in one function, or at the module's top level."""

    mocks: frozenset[Mock]
    references: frozenset[str]
    texts: frozenset[str]
    used: frozenset[str]
    """Names that may be local functions or fixtures."""


class _File:
    """A parsed test file together with the `conftest.py` files above it; every part is walked once."""

    def __init__(self, path: str, tree: ast.Module, shared: Iterable[ast.Module]) -> None:
        self._path = path
        self.names: dict[str, str] = {}
        self._functions: dict[str, Definition] = {}
        for other in (*reversed([*shared]), tree):
            self.names |= imported_names(other)
            self._functions |= {node.name: node for node in ast.walk(other) if isinstance(node, Definition)}
        top = ast.Module(body=[node for node in tree.body if not isinstance(node, _DEFINING)], type_ignores=[])
        self.always: list[ast.AST] = [top, *filter(_applies_by_itself, self._functions.values())]
        self._facts: dict[int, _Facts] = {}

    def unit(self, parts: Iterable[ast.AST]) -> Unit:
        """Join the parts with the local functions and fixtures that they name, to the end."""
        pending = [*parts, *self.always]
        joined: dict[int, _Facts] = {}
        while pending:
            part = pending.pop()
            if id(part) not in joined:
                joined[id(part)] = facts = self._facts.get(id(part)) or self._walked(part)
                pending += [self._functions[used] for used in facts.used if used in self._functions]
        every = joined.values()
        return Unit(
            path=self._path,
            mocks=frozenset[Mock]().union(*(facts.mocks for facts in every)),
            references=frozenset[str]().union(*(facts.references for facts in every)),
            texts=frozenset[str]().union(*(facts.texts for facts in every)),
        )

    def _walked(self, part: ast.AST) -> _Facts:
        nodes = list(ast.walk(part))
        names = (dotted_name(node, self.names) for node in nodes if isinstance(node, ast.Name | ast.Attribute))
        attributes = (node.attr for node in nodes if isinstance(node, ast.Attribute))
        texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
        self._facts[id(part)] = _Facts(
            frozenset(find_mocks(part, self.names)),
            frozenset([*filter(None, names), *attributes]),
            frozenset(texts),
            frozenset(_used_names(nodes)),
        )
        return self._facts[id(part)]


def read_python(data: bytes) -> ast.Module | None:
    """The syntax tree, or None where the text does not parse, is huge or is nested deeper than people write."""
    if len(data) > _MAX_BYTES:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = parsed_or_none(data)
    return None if tree is None or nests_deeper(tree, _MAX_NESTING) else tree


def read_units(
    path: str, files: Mapping[str, bytes], *, deselected: Iterable[str] = (), as_program: bool = False
) -> tuple[Unit, ...] | None:
    """The tests of a file that run; None where it cannot be read.

    Args:
        path: of the test file among `files`.
        files: content of the workspace; `conftest.py` files above the test bring their fixtures.
        deselected: marks that are left out.
        as_program: the file is started by Python itself, so its module level counts as a unit as well.
    """
    tree = read_python(files.get(path, b""))
    if tree is None:
        return None
    above = (str(parent / "conftest.py") for parent in PurePosixPath(path).parents)
    file = _File(path, tree, filter(None, (read_python(files[name]) for name in above if name in files)))
    left_out = {"pytest.mark.skip", "unittest.skip", *(f"pytest.mark.{mark}" for mark in deselected)}
    tests = list(islice(_tests(tree), _MAX_TESTS))
    runs = (parts for parts, marks in tests if left_out.isdisjoint(dotted_name(mark, file.names) for mark in marks))
    units = [file.unit(parts) for parts in runs]
    return (*units, file.unit(())) if as_program or not tests else tuple(units)


def _tests(tree: ast.Module) -> Iterator[tuple[list[ast.AST], list[ast.expr]]]:
    """The parts of each test beside what always applies, and its decorators."""
    for node in tree.body:
        if isinstance(node, Definition) and node.name.startswith("test"):
            yield [node], node.decorator_list
        elif isinstance(node, ast.ClassDef):
            members = [member for member in node.body if isinstance(member, Definition)]
            around = [*node.decorator_list, *node.bases, *(one for one in members if one.name in _CLASS_SET_UP)]
            for test in members:
                if test.name.startswith("test"):
                    yield [test, *around], [*test.decorator_list, *node.decorator_list]


def _applies_by_itself(function: Definition) -> bool:
    """Fixtures that pytest applies to every test, and set-up functions of a module."""
    automatic = any("autouse=True" in ast.unparse(decorator) for decorator in function.decorator_list)
    return automatic or function.name in _MODULE_SET_UP


def _used_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                yield name
            case ast.Call(func=ast.Attribute(attr="usefixtures"), args=arguments):
                yield from (str(argument.value) for argument in arguments if isinstance(argument, ast.Constant))
