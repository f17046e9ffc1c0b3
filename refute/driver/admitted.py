"""Which of Python's own objects a test may hand over, and which names the subject may use of what it was handed."""

import argparse
import logging
import string
import sys
import types
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Final

LIBRARY: Final = frozenset(
    {
        "io", "_io", "threading", "_thread", "queue", "_queue", "random", "argparse", "collections", "itertools",
        "contextlib", "logging", "re", "asyncio", "string", "decimal", "tempfile", "codecs", "csv", "_csv", "operator",
        "concurrent", "multiprocessing", "array", "datetime", "time", "functools", "json", "collections.abc", "numbers",
        "fractions", "zoneinfo", "struct", "weakref", "enum", "dataclasses", "abc", "configparser", "socket",
        "select", "selectors", "sqlite3", "email", "html", "http", "urllib", "xml", "zipfile", "tarfile", "shelve",
    }
)  # fmt: skip
"""Python's own modules whose objects a test may hand over."""
BUILT_IN: Final[tuple[type, ...]] = (
    types.SimpleNamespace, types.MappingProxyType, types.CoroutineType, types.AsyncGeneratorType, memoryview, object,
    type({}.keys()), type({}.values()), type({}.items()),
    *(type(vars(OrderedDict)[name](OrderedDict())) for name in ("keys", "values", "items")),
)  # fmt: skip
"""Built-in types whose objects a test may hand over; so it may all iterators."""
NEVER: Final = (
    types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, types.CellType, types.GetSetDescriptorType,
    string.Formatter,
)  # fmt: skip
"""What leads to all the rest; a formatter takes the attributes of what it is given by names that it is given."""
SPECIAL: Final = frozenset(
    {
        "__call__", "__iter__", "__next__", "__len__", "__bool__", "__contains__", "__getitem__", "__setitem__",
        "__delitem__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__aiter__", "__anext__", "__await__",
        "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__add__", "__sub__", "__mul__",
        "__truediv__", "__floordiv__", "__mod__", "__divmod__", "__pow__", "__lshift__", "__rshift__", "__and__",
        "__or__", "__xor__", "__matmul__", "__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rfloordiv__",
        "__rmod__", "__rdivmod__", "__rpow__", "__rlshift__", "__rrshift__", "__rand__", "__ror__", "__rxor__",
        "__rmatmul__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ifloordiv__", "__imod__", "__ipow__",
        "__iand__", "__ior__", "__ixor__", "__neg__", "__pos__", "__abs__", "__invert__", "__int__", "__float__",
        "__complex__", "__index__", "__round__", "__trunc__", "__floor__", "__ceil__", "__reversed__", "__str__",
        "__length_hint__", "__missing__", "__repr__", "__format__", "__bytes__", "__fspath__", "__get__", "__set__",
        "__delete__", "__instancecheck__", "__post_init__", "__init__",
    }
)  # fmt: skip
"""Special methods of a test's own classes that the implementation may use."""
BUILDING: Final = frozenset({"__init__", "__post_init__", "__get__", "__set__", "__delete__", "__instancecheck__"})
"""Of these only those of a test's own classes: a library object could be built anew upon anything of the driver's."""
TESTING: Final = frozenset({"pytest", "_pytest", "hypothesis", "unittest"})
"""Packages whose classes have private parts that tests rest on."""
RECORDS: Final = (logging.LogRecord, argparse.Namespace, types.SimpleNamespace)
"""Library objects that are nothing but their attributes."""
TELLTALE: Final = frozenset(
    {
        "findCaller", "makeRecord", "handle", "manager", "root", "parent", "handlers", "gen", "func",
        "enable_load_extension", "load_extension", "deserialize", "iterdump",
    }
)  # fmt: skip
"""Attributes of library objects that lead to the driver's stack, to its machinery, or to foreign code in it."""


def takes_records(kind: type, name: str) -> bool:
    """Whether it is what a handler of log records is for."""
    return name == "handle" and issubclass(kind, logging.Handler)


def is_of_failing(kind: Any) -> bool:
    """Whether it is the class of what `pytest.fail` raises, or the one that it derives from.

    Not those by which a test skips, or ends the session: whoever raises this one fails the test.
    """
    module = sys.modules.get("_pytest.outcomes")
    # Not `in`: what is asked about may be an array, whose `==` is none.
    return module is not None and any(kind is one for one in (module.Failed, module.OutcomeException))


def is_of_testing(kind: type) -> bool:
    """Whether a class belongs to a library of tests. `Failed` says that it is built in, its bases do not."""
    return any(str(base.__module__).partition(".")[0] in TESTING for base in type.mro(kind))


def is_built_in(kind: type) -> bool:
    """Whether a test may hand over objects of a type because it is one of Python's that lead nowhere."""
    return kind in BUILT_IN or (kind.__module__ == "builtins" and issubclass(kind, Iterator))
