"""The author's tests as units: what each one replaces, and what it names."""

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from refute.python_syntax import FUNCTION, nests_deeper, parsed_or_none
from refute.ticket.changes import is_test_file
from refute.ticket.mocks import Mock, dotted_name, find_mocks, imported_names

_MAX_BYTES: Final = 1_000_000
_MAX_FILES: Final = 20
_MAX_TESTS: Final = 1_000
_MAX_NESTING: Final = 100
"""Levels of a syntax tree; what walks it here calls itself once or more for each."""
_SET_UP: Final = frozenset({"setUp", "setUpClass", "asyncSetUp", "setup_method", "setup_class", "setup"})
_MODULE_SET_UP: Final = frozenset({"setUpModule", "setup_module", "setup_function"})
_DEFINING: Final = (ast.Import, ast.ImportFrom, ast.ClassDef, *FUNCTION.__args__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One test function, or what else runs by itself, with everything that it brings into play."""

    mocks: frozenset[Mock]
    references: frozenset[str]
    """Dotted origins of all names and attributes, also of fixtures and local functions that it uses."""
    texts: frozenset[str]
    """Its string literals: commands that it starts may stand there."""


class _Part:
    """A function, or what else stands in a file."""

    def __init__(self, node: ast.AST, names: Mapping[str, str], path: str) -> None:
        nodes = list(ast.walk(node))
        dotted = [dotted_name(one, names) for one in nodes if isinstance(one, ast.Name | ast.Attribute)]
        attributes = [one.attr for one in nodes if isinstance(one, ast.Attribute)]
        texts = [one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        self.unit = Unit(
            mocks=frozenset(find_mocks(node, names, path)),
            references=frozenset([*filter(None, dotted), *attributes]),
            texts=frozenset(texts),
        )
        self.uses = frozenset(_used_names(nodes))
        """Names that may be local functions or fixtures."""


class _Suite:
    """A test file together with the `conftest.py` files above it; every function is walked once.

    Args:
        trees: by their paths, the test file's own last.
    """

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self._parts: dict[ast.AST, _Part] = {}
        self._functions: dict[str, ast.AST] = {}
        self._always: list[ast.AST] = []
        for path, tree in trees.items():
            self.names = imported_names(tree)
            top = ast.Module(body=[node for node in tree.body if not isinstance(node, _DEFINING)], type_ignores=[])
            functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTION)]
            classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
            frames = [part for node in classes for part in (*node.decorator_list, *node.bases)]
            self._parts |= {node: _Part(node, self.names, path) for node in (top, *functions, *frames)}
            self._functions |= {node.name: node for node in functions}
            self._always += [node for node in functions if _applies_by_itself(node)]
        self._always.append(top)

    def unit(self, nodes: Iterable[ast.AST] = ()) -> Unit:
        """Join what stands in some nodes with the local functions and fixtures that they name, to the end."""
        pending, seen = [*nodes, *self._always], dict[ast.AST, _Part]()
        while pending:
            node = pending.pop()
            if node not in seen and node in self._parts:
                seen[node] = self._parts[node]
                pending += [self._functions[name] for name in seen[node].uses if name in self._functions]
        every = [part.unit for part in seen.values()]
        return Unit(
            mocks=frozenset[Mock]().union(*(unit.mocks for unit in every)),
            references=frozenset[str]().union(*(unit.references for unit in every)),
            texts=frozenset[str]().union(*(unit.texts for unit in every)),
        )


def read_python(data: bytes) -> ast.Module | None:
    """The syntax tree, or None where the text does not parse, is huge or is nested deeper than people write."""
    if len(data) > _MAX_BYTES:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = parsed_or_none(data)
    return None if tree is None or nests_deeper(tree, _MAX_NESTING) else tree


def read_units(
    path: str, files: Mapping[str, bytes], *, left_out: Iterable[str] = (), as_program: bool = False
) -> tuple[Unit, ...] | None:
    """The tests of a file that run; None where it cannot be read.

    Args:
        path: of the test file among `files`.
        files: content of the workspace; what else of the tests it may use is read as well.
        left_out: marks of tests that do not run.
        as_program: Python itself starts the file, so its module level is a unit as well.
    """
    trees = _with_helpers(path, files)
    if path not in trees:
        return None
    suite = _Suite(trees)
    skipped = {"pytest.mark.skip", "unittest.skip", *(f"pytest.mark.{mark}" for mark in left_out)}
    tests = list(islice(_tests(trees[path]), _MAX_TESTS))
    runs = [nodes for nodes, marks in tests if skipped.isdisjoint(dotted_name(mark, suite.names) for mark in marks)]
    return tuple(suite.unit(nodes) for nodes in (*runs, *([] if tests and not as_program else [()])))


def _with_helpers(path: str, files: Mapping[str, bytes]) -> dict[str, ast.Module]:
    """A test file, the last, behind the `conftest.py` files above it and the modules of tests that these import."""
    modules: dict[str, list[str]] = {}
    for other in filter(is_test_file, files):
        posix = PurePosixPath(other)
        modules.setdefault(posix.parent.name if posix.stem == "__init__" else posix.stem, []).append(other)
    above = [str(parent / "conftest.py") for parent in PurePosixPath(path).parents]
    pending, trees = [path, *above], dict[str, ast.Module]()
    while pending and len(trees) < _MAX_FILES:
        name = pending.pop(0)
        tree = read_python(files.get(name, b"")) if name not in trees else None
        if tree is not None:
            trees[name] = tree
            imported = {part for origin in imported_names(tree).values() for part in origin.split(".")}
            pending += [other for part in sorted(imported) for other in modules.get(part, ())]
    return dict(reversed(trees.items()))


def _tests(tree: ast.Module) -> Iterator[tuple[list[ast.AST], list[ast.expr]]]:
    """The nodes of each test beside what always applies, and its decorators."""
    for node in tree.body:
        if isinstance(node, FUNCTION) and node.name.startswith("test"):
            yield [node], node.decorator_list
        elif isinstance(node, ast.ClassDef):
            methods = [item for item in node.body if isinstance(item, FUNCTION)]
            frame = [*node.decorator_list, *node.bases, *(one for one in methods if one.name in _SET_UP)]
            for test in methods:
                if test.name.startswith("test"):
                    yield [test, *frame], [*test.decorator_list, *node.decorator_list]


def _applies_by_itself(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
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
