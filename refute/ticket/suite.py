"""The author's tests as units: what each one mocks, what it names, whether it runs."""

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from refute.ticket.mocks import Mock, dotted_name, find_mocks, imported_names

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_MAX_NESTING: Final = 100
"""Levels of a syntax tree; what walks it here calls itself once or more for each."""
_SET_UP: Final = frozenset(
    {
        "setUp",
        "setUpClass",
        "asyncSetUp",
        "setup_method",
        "setup_class",
        "setup",
        "setUpModule",
        "setup_module",
        "setup_function",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One test function (or a whole program) with everything that it brings into play."""

    path: str
    name: str
    mocks: tuple[Mock, ...]
    references: frozenset[str]
    """Dotted origins of all names and attributes, also of fixtures and local functions that it uses."""
    texts: frozenset[str]
    """Its string literals: commands that it starts may stand there."""
    runs: bool = True
    """False where it is skipped without a condition, or deselected."""


@dataclass(slots=True)
class _File:
    """A parsed test file."""

    path: str
    tree: ast.Module
    names: dict[str, str] = field(default_factory=dict)
    functions: dict[str, Definition] = field(default_factory=dict)


def parse_python(data: bytes) -> ast.Module | None:
    """The syntax tree, or None where the text does not parse or is nested deeper than people write."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    level: list[ast.AST] = [tree]
    for _ in range(_MAX_NESTING):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree
    return None


def read_units(
    path: str, files: Mapping[str, bytes], *, deselected: Iterable[str] = (), as_program: bool = False
) -> tuple[Unit, ...]:
    """The tests of a file.

    Args:
        path: of the test file among `files`.
        files: content of the workspace; `conftest.py` files above the test bring their fixtures.
        deselected: marks that are left out.
        as_program: the file is started by Python itself, so its module level counts as a unit as well.
    """
    tree = parse_python(files.get(path, b""))
    if tree is None:
        return ()
    file = _File(path, tree, imported_names(tree), _functions(tree))
    for conftest in _conftests(path, files):
        shared = parse_python(files[conftest])
        if shared is not None:
            file.names = imported_names(shared) | file.names
            file.functions = _functions(shared) | file.functions
    units = [_unit(file, test, owner, frozenset(deselected)) for test, owner in _tests(tree)]
    if as_program or not units:
        units.append(_program(file))
    return tuple(units)


def _conftests(path: str, files: Mapping[str, bytes]) -> list[str]:
    above = [str(parent / "conftest.py") for parent in PurePosixPath(path).parents]
    return [name for name in above if name in files]


def _functions(tree: ast.AST) -> dict[str, Definition]:
    return {node.name: node for node in ast.walk(tree) if isinstance(node, Definition)}


def _tests(tree: ast.Module) -> Iterator[tuple[Definition, ast.ClassDef | None]]:
    for node in tree.body:
        if isinstance(node, Definition) and node.name.startswith("test"):
            yield node, None
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, Definition) and member.name.startswith("test"):
                    yield member, node


def _unit(file: _File, test: Definition, owner: ast.ClassDef | None, deselected: frozenset[str]) -> Unit:
    parts: list[ast.AST] = [test, *_at_module_level(file.tree), *_automatic(file)]
    if owner is not None:
        parts += [*owner.decorator_list, *owner.bases]
        parts += [node for node in owner.body if isinstance(node, Definition) and node.name in _SET_UP]
    parts = _with_what_they_use(file, parts)
    decorators = [*test.decorator_list, *(owner.decorator_list if owner else [])]
    marks = [dotted_name(decorator, file.names) for decorator in decorators]
    skipped = any(mark in {"pytest.mark.skip", "unittest.skip"} for mark in marks)
    left_out = any(mark.removeprefix("pytest.mark.") in deselected for mark in marks if mark.startswith("pytest.mark."))
    return _made(file, test.name, parts, runs=not (skipped or left_out))


def _program(file: _File) -> Unit:
    return _made(file, "<module>", _with_what_they_use(file, list(_at_module_level(file.tree))), runs=True)


def _made(file: _File, name: str, parts: list[ast.AST], *, runs: bool) -> Unit:
    mocks = {(mock.line, mock.what): mock for part in parts for mock in find_mocks(part, file.names)}
    nodes = [node for part in parts for node in ast.walk(part)]
    names = (dotted_name(node, file.names) for node in nodes if isinstance(node, ast.Name | ast.Attribute))
    attributes = (node.attr for node in nodes if isinstance(node, ast.Attribute))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return Unit(
        path=file.path,
        name=name,
        mocks=tuple(mock for _, mock in sorted(mocks.items())),
        references=frozenset([*filter(None, names), *attributes]),
        texts=frozenset(texts),
        runs=runs,
    )


def _at_module_level(tree: ast.Module) -> Iterator[ast.AST]:
    """Statements that run when the file is imported, without imports and definitions."""
    kept = (ast.Import, ast.ImportFrom, ast.ClassDef, *Definition.__args__)
    return (node for node in tree.body if not isinstance(node, kept))


def _automatic(file: _File) -> Iterator[ast.AST]:
    """Fixtures that pytest applies by itself, and set-up functions of the module."""
    for function in file.functions.values():
        automatic = any("autouse=True" in ast.unparse(decorator) for decorator in function.decorator_list)
        if automatic or function.name in {"setUpModule", "setup_module", "setup_function"}:
            yield function


def _with_what_they_use(file: _File, parts: list[ast.AST]) -> list[ast.AST]:
    """The parts, and the local functions and fixtures that they name, to the end."""
    found = list(parts)
    for part in found:  # grows while it is walked
        for name in _used_names(part):
            function = file.functions.get(name)
            if function is not None and function not in found:
                found.append(function)
    return found


def _used_names(part: ast.AST) -> Iterator[str]:
    for node in ast.walk(part):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                yield name
            case ast.Call(func=ast.Attribute(attr="usefixtures"), args=arguments):
                yield from (str(argument.value) for argument in arguments if isinstance(argument, ast.Constant))
