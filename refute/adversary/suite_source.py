"""A generated test file as the screen sees it: its tests, what each of them reaches, and the file without some."""

import ast
import re
from collections.abc import Iterable, Sequence

from refute.adversary.references import defined, loaded, needed_for
from refute.python_syntax import FUNCTION, parse_python, python_lines

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
        self._body = [node for node in self.tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
        parts = (part.value for part in ast.walk(self.tree) if isinstance(part, ast.Constant))
        texts = {text for text in parts if isinstance(text, str)}  # a fixture may be used by one
        always = [node for node in self._body if _runs_always(node, texts)]
        self._always = set().union(*map(loaded, always)).union(*map(defined, always))
        self._nameless = [node for node in always if not any(defined(node))]

    @property
    def test_names(self) -> list[str]:
        """Module-level functions that pytest would collect."""
        names = (node.name for node in self._body if isinstance(node, FUNCTION) and node.name.startswith("test"))
        return list(dict.fromkeys(names))

    def functions(self, name: str) -> Sequence[ast.stmt]:
        """Every module-level definition of a function."""
        return [node for node in self._body if isinstance(node, FUNCTION) and node.name == name]

    def closure(self, name: str) -> list[ast.stmt]:
        """The statements that run with a test: its own, what it refers to, and what the file always runs."""
        return [*needed_for({name} | self._always, self._body), *self._nameless]

    def bindings(self, name: str) -> int:
        """How many statements of the module give something this name."""
        return sum(name in defined(node) for node in self._body)

    def without(self, names: Iterable[str]) -> str:
        """The file without these functions and their decorators; every other byte as it was."""
        lines = python_lines(self.source, keep_ends=True)
        doomed = sorted((node for name in names for node in self.functions(name)), key=lambda node: -node.lineno)
        for node in doomed:
            first, last = lines_of(node)
            del lines[first - 1 : last]
        return "".join(lines)


def lines_of(node: ast.stmt) -> tuple[int, int]:
    """First and last line of a statement, decorators included; 1-based."""
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)]), node.end_lineno or node.lineno


def _runs_always(node: ast.stmt, texts: set[str]) -> bool:
    """Whether pytest or Python may run a statement whatever test is asked for: fixtures too that go by a text."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            words = {part.arg for one in node.decorator_list for part in ast.walk(one) if isinstance(part, ast.keyword)}
            by_text = node.name in texts and not node.name.startswith("test")
            return by_text or HOOKS.match(node.name) is not None or not words.isdisjoint({"autouse", "name"})
        case ast.Expr(value=ast.Constant()):
            return False
    return True
