"""The test file lives in the driver's memory only: on disk the subject could read the values that it must return.

Behind each of its checks stands a call that notes that it ran.
"""

import ast
import copy
import linecache
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

NOTED: Final = "@refute_noted"
"""No name that a test could write."""
BLOCKS: Final = frozenset({"raises", "warns", "deprecated_call"})


class MemoryModule(pytest.Module):
    """A test module made from a source that is on no disk."""

    source: bytes = b""
    names: dict[str, Any]
    noted: Callable[..., None]

    def _getobj(self) -> ModuleType:
        path = str(self.path)
        module = ModuleType(self.path.stem)
        module.__file__ = path
        module.__dict__["__builtins__"] = self.names
        module.__dict__[NOTED] = self.noted
        sys.modules[module.__name__] = module
        try:
            tree = ast.parse(self.source, filename=path)
            note_checks(tree)
            rewrite_asserts(tree, self.source, path, self.config)
            exec(compile(tree, path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  # what a test runner does
        except Exception as error:
            text = pytest.ExceptionInfo.from_exception(error).getrepr(style="short")
            raise self.CollectError(f"Importing the test file failed.\n{text}") from error
        return module


class Collector:
    """The plugin that has the test file collected from memory."""

    def __init__(self, source: bytes, names: dict[str, Any], noted: Callable[..., None]) -> None:
        self._noted = noted
        self._source = source
        self._names = names

    def pytest_pycollect_makemodule(self, module_path: Any, parent: Any) -> pytest.Module:
        """The module, with its lines where tracebacks and Hypothesis look for them."""
        text = self._source.decode("utf-8", "replace")
        linecache.cache[str(module_path)] = (len(text), None, text.splitlines(keepends=True), str(module_path))
        module: MemoryModule = MemoryModule.from_parent(parent, path=module_path)
        module.source, module.names, module.noted = self._source, self._names, self._noted
        return module


def note_checks(tree: ast.Module) -> None:
    """Put behind each assertion, and each block that must raise, a call that notes that it ran."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    written = {alias.asname: alias.name for node in imports for alias in node.names if alias.asname}
    for node in list(ast.walk(tree)):
        for _, body in ast.iter_fields(node):
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                body[:] = [part for one in body for part in (one, *_note(one, written))]


def _note(node: ast.stmt, written: dict[str, str]) -> Iterator[ast.stmt]:
    match node:
        case ast.Assert():
            calls: list[ast.expr] = []
        case ast.With(items=items) | ast.AsyncWith(items=items):
            calls = [item.context_expr for item in items if _name(item.context_expr) in BLOCKS]
            if not calls:
                return
        case ast.Expr(value=ast.Call() as checks) if _name(checks) in BLOCKS or "assert" in _name(checks).lower():
            calls = [checks] if _name(checks) in BLOCKS else []
        case _:
            return
    kinds: list[ast.expr] = []
    for call in calls:
        first = call.args[:1] if isinstance(call, ast.Call) else []
        for one in first[0].elts if first and isinstance(first[0], ast.Tuple) else first:
            if isinstance(one, ast.Name | ast.Attribute):
                name = ast.Constant(written.get(_name(one), _name(one)))
                kinds.append(ast.Tuple([name, copy.deepcopy(one)], ast.Load()))
    noting = ast.Call(ast.Name(NOTED, ast.Load()), [ast.Constant(node.lineno), *kinds], [])
    yield ast.fix_missing_locations(ast.copy_location(ast.Expr(noting), node))


def _name(node: ast.expr) -> str:
    """The last name of a dotted one, or of what is called."""
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
