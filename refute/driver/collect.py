"""The test file lives in the driver's memory only: on disk the subject could read the values that it must return."""

import ast
import linecache
import sys
from types import ModuleType
from typing import Any

import pytest
from _pytest.assertion.rewrite import rewrite_asserts


class MemoryModule(pytest.Module):
    """A test module made from a source that is on no disk."""

    source: bytes = b""
    names: dict[str, Any]

    def _getobj(self) -> ModuleType:
        path = str(self.path)
        module = ModuleType(self.path.stem)
        module.__file__ = path
        module.__dict__["__builtins__"] = self.names
        sys.modules[module.__name__] = module
        try:
            tree = ast.parse(self.source, filename=path)
            rewrite_asserts(tree, self.source, path, self.config)
            exec(compile(tree, path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  # what a test runner does
        except Exception as error:
            text = pytest.ExceptionInfo.from_exception(error).getrepr(style="short")
            raise self.CollectError(f"Importing the test file failed.\n{text}") from error
        return module


class Collector:
    """The plugin that has the test file collected from memory.

    Args:
        source: of the test file.
        names: the built-in names that it sees.
    """

    def __init__(self, source: bytes, names: dict[str, Any]) -> None:
        self._source = source
        self._names = names

    def pytest_pycollect_makemodule(self, module_path: Any, parent: Any) -> pytest.Module:
        """The module, with its lines where tracebacks and Hypothesis look for them."""
        text = self._source.decode("utf-8", "replace")
        linecache.cache[str(module_path)] = (len(text), None, text.splitlines(keepends=True), str(module_path))
        module: MemoryModule = MemoryModule.from_parent(parent, path=module_path)
        module.source, module.names = self._source, self._names
        return module
