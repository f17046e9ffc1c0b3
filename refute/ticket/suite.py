"""The author's tests as units: what each one mocks, what it names, whether it runs."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
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
        self.path = path
        self.tree = tree
        self.names = imported_names(tree)
        self.functions = _functions(tree)
        for other in shared:
            self.names = imported_names(other) | self.names
            self.functions = _functions(other) | self.functions
        self.top = ast.Module(body=[node for node in tree.body if not isinstance(node, _DEFINING)], type_ignores=[])
        self.automatic = [function for function in self.functions.values() if _applies_by_itself(function)]
        self._facts: dict[int, _Facts] = {}

    def facts(self, part: ast.AST) -> _Facts:
        """What stands in a part of this file."""
        if id(part) not in self._facts:
            self._facts[id(part)] = self._walked(part)
        return self._facts[id(part)]

    def _walked(self, part: ast.AST) -> _Facts:
        nodes = list(ast.walk(part))
        names = (dotted_name(node, self.names) for node in nodes if isinstance(node, ast.Name | ast.Attribute))
        attributes = (node.attr for node in nodes if isinstance(node, ast.Attribute))
        texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
        return _Facts(
            mocks=frozenset(find_mocks(part, self.names)),
            references=frozenset([*filter(None, names), *attributes]),
            texts=frozenset(texts),
            used=frozenset(_used_names(part)),
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
    path: str, files: Mapping[str, bytes], *, deselected: Iterable[str] = (), as_program: bool = False
) -> tuple[Unit, ...]:
    """The tests of a file.

    Args:
        path: of the test file among `files`.
        files: content of the workspace; `conftest.py` files above the test bring their fixtures.
        deselected: marks that are left out.
        as_program: the file is started by Python itself, so its module level counts as a unit as well.
    """
    tree = read_python(files.get(path, b""))
    if tree is None:
        return ()
    file = _File(path, tree, filter(None, (read_python(files[name]) for name in _conftests(path, files))))
    units = [_unit(file, test, owner, frozenset(deselected)) for test, owner in islice(_tests(tree), _MAX_TESTS)]
    if as_program or not units:
        units.append(_made(file, "<module>", [file.top]))
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
    parts: list[ast.AST] = [test, file.top, *file.automatic]
    if owner is not None:
        parts += [*owner.decorator_list, *owner.bases]
        parts += [node for node in owner.body if isinstance(node, Definition) and node.name in _SET_UP]
    decorators = [*test.decorator_list, *(owner.decorator_list if owner else [])]
    marks = [dotted_name(decorator, file.names) for decorator in decorators]
    skipped = any(mark in {"pytest.mark.skip", "unittest.skip"} for mark in marks)
    left_out = any(mark.removeprefix("pytest.mark.") in deselected for mark in marks if mark.startswith("pytest.mark."))
    return _made(file, test.name, parts, runs=not (skipped or left_out))


def _made(file: _File, name: str, parts: Iterable[ast.AST], *, runs: bool = True) -> Unit:
    """Join the parts with the local functions and fixtures that they name, to the end."""
    pending = list(parts)
    joined: dict[int, _Facts] = {}
    while pending:
        part = pending.pop()
        if id(part) not in joined:
            joined[id(part)] = file.facts(part)
            pending += [file.functions[used] for used in joined[id(part)].used if used in file.functions]
    mocks = frozenset[Mock]().union(*(facts.mocks for facts in joined.values()))
    return Unit(
        path=file.path,
        name=name,
        mocks=tuple(sorted(mocks, key=lambda mock: (mock.line, mock.what))),
        references=frozenset[str]().union(*(facts.references for facts in joined.values())),
        texts=frozenset[str]().union(*(facts.texts for facts in joined.values())),
        runs=runs,
    )


def _applies_by_itself(function: Definition) -> bool:
    """Fixtures that pytest applies to every test, and set-up functions of a module."""
    automatic = any("autouse=True" in ast.unparse(decorator) for decorator in function.decorator_list)
    return automatic or function.name in {"setUpModule", "setup_module", "setup_function"}


def _used_names(part: ast.AST) -> Iterator[str]:
    for node in ast.walk(part):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                yield name
            case ast.Call(func=ast.Attribute(attr="usefixtures"), args=arguments):
                yield from (str(argument.value) for argument in arguments if isinstance(argument, ast.Constant))
