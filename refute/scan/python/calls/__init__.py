"""The checks for Python calls, by dotted name or by method."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from refute.scan.python.call import PythonCall
from refute.scan.python.calls import (
    code,
    conversions,
    evaluation,
    file_objects,
    files,
    loading,
    machine,
    network,
    process,
)
from refute.scan.python.values import FileValue, PathValue

HANDLERS: Mapping[str, Callable[[PythonCall], Any]] = MappingProxyType(
    {
        **files.HANDLERS,
        **network.HANDLERS,
        **process.HANDLERS,
        **machine.HANDLERS,
        **conversions.HANDLERS,
        **code.HANDLERS,
        **evaluation.HANDLERS,
        **loading.HANDLERS,
    }
)
"""Dotted name → its check, which returns what the call yields."""
PATH_METHODS: Mapping[str, Callable[[PythonCall, PathValue], Any]] = file_objects.PATH_METHODS
"""Methods of `pathlib` paths."""
FILE_METHODS: Mapping[str, Callable[[PythonCall, FileValue], Any]] = file_objects.FILE_METHODS
"""Methods of open files."""
UNKNOWN_METHODS: Mapping[str, Callable[[PythonCall], Any]] = MappingProxyType(
    {**process.UNKNOWN_METHODS, **network.UNKNOWN_METHODS}
)
"""Methods whose name alone is telling, on objects about which nothing is known."""
