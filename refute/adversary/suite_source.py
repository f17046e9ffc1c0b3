"""A generated test file as the screen sees it: its tests, what each of them reaches, and the file without some."""

import ast
import re
from collections.abc import Iterable, Sequence

from refute.adversary.references import defined, loaded
from refute.python_syntax import parse_python, python_lines

HOOKS = re.compile(r"(?:setup|teardown)(?:_module|_function|_method|_class)?\Z|setUpModule\Z|tearDownModule\Z|pytest_")
"""Functions of a test module that pytest runs by their names."""


class SuiteSource:
    """One parsed file.

    Args:
        source: the file.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it cannot be parsed.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = parse_python(source)
        self._functions: dict[str, list[ast.stmt]] = {}
        self._definitions: dict[str, list[ast.stmt]] = {}
        self._fixtures: dict[str, list[ast.stmt]] = {}
        self._always: list[ast.stmt] = []
        self._loaded: dict[int, set[str]] = {}
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._functions.setdefault(node.name, []).append(node)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._definitions.setdefault(node.name, []).append(node)
                if _is_autouse(node) or HOOKS.match(node.name):
                    self._always.append(node)
                for name in _fixture_names(node):
                    self._fixtures.setdefault(name, []).append(node)
            elif not isinstance(node, ast.Import | ast.ImportFrom) and not _is_docstring(node):
                self._always.append(node)
                for name in defined(node):
                    self._definitions.setdefault(name, []).append(node)

    @property
    def test_names(self) -> list[str]:
        """Module-level functions that pytest would collect."""
        return [name for name in self._functions if name.startswith("test")]

    @property
    def functions_and_classes(self) -> list[ast.stmt]:
        """Everything that is only defined at module level and runs when it is used."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return [node for node in self.tree.body if isinstance(node, kinds)]

    def functions(self, name: str) -> Sequence[ast.stmt]:
        """Every module-level definition of a function."""
        return self._functions.get(name, [])

    def closure(self, name: str) -> list[ast.stmt]:
        """The statements that run with a test: its own, what it refers to, and what the file always runs."""
        found: dict[int, ast.stmt] = {}
        queue: list[ast.stmt] = [*self._functions.get(name, []), *self._always]
        while queue:
            node = queue.pop()
            if id(node) in found:
                continue
            found[id(node)] = node
            if id(node) not in self._loaded:
                self._loaded[id(node)] = loaded(node)
            for reference in self._loaded[id(node)]:
                queue.extend(self._definitions.get(reference, []))
            for used in self._fixtures_of(node):
                queue.extend(self._fixtures[used])
        return list(found.values())

    def bindings(self, name: str) -> int:
        """How many statements of the module give something this name."""
        return len(self._definitions.get(name, []))

    def _fixtures_of(self, node: ast.stmt) -> set[str]:
        """Fixtures that a statement uses: by an argument's name, or as text, as `usefixtures` does."""
        if not self._fixtures:
            return set()
        texts = {
            part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
        }
        return self._fixtures.keys() & (self._loaded[id(node)] | texts)

    def without(self, names: Iterable[str]) -> str:
        """The file without these functions and their decorators; every other byte as it was."""
        lines = python_lines(self.source, keep_ends=True)
        doomed = sorted(
            (node for name in names for node in self._functions.get(name, [])), key=lambda node: -node.lineno
        )
        for node in doomed:
            first, last = lines_of(node)
            del lines[first - 1 : last]
        return "".join(lines)


def lines_of(node: ast.stmt) -> tuple[int, int]:
    """First and last line of a statement, decorators included; 1-based."""
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)]), node.end_lineno or node.lineno


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _fixture_names(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[str]:
    """Under which names tests may ask for a fixture: its own, or the one that its decorator gives it."""
    if not any("fixture" in ast.unparse(decorator) for decorator in node.decorator_list):
        return []
    given = [
        part.value.value
        for decorator in node.decorator_list
        for part in ast.walk(decorator)
        if isinstance(part, ast.keyword) and part.arg == "name" and isinstance(part.value, ast.Constant)
    ]
    return [node.name, *(name for name in given if isinstance(name, str))]


def _is_autouse(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    return any(
        isinstance(part, ast.keyword) and part.arg == "autouse"
        for decorator in node.decorator_list
        for part in ast.walk(decorator)
    )
