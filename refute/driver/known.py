"""Classes and functions that both processes have, and which of Python's own objects a test may hand over."""

import argparse
import builtins
import importlib
import logging
import string
import sys
import types
from collections import OrderedDict
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType
from typing import Any, Final

from refute.driver.wire import Malformed

VALUE_MODULES: Final = frozenset(
    {
        "builtins", "collections", "collections.abc", "_collections_abc", "datetime", "decimal", "fractions", "uuid",
        "numbers", "abc", "typing", "enum", "types", "ipaddress", "pathlib", "array", "re", "time", "contextlib",
    }
)  # fmt: skip
"""Classes of these do nothing but hold data or say what an object can do: the subject may name them to the driver."""
RAISING: Final = frozenset(
    {
        "_csv", "_lzma", "_pickle", "_queue", "argparse", "asyncio", "asyncore", "binascii", "bz2", "calendar",
        "concurrent", "configparser", "copy", "csv", "ctypes", "dataclasses", "difflib", "email", "encodings", "ftplib",
        "functools", "getopt", "getpass", "graphlib", "gzip", "hashlib", "hmac", "http", "importlib", "inspect", "io",
        "json", "locale", "logging", "lzma", "mailbox", "multiprocessing", "netrc", "nntplib", "optparse", "os",
        "pickle", "platform", "plistlib", "poplib", "queue", "runpy", "secrets", "select", "shutil", "signal",
        "smtplib", "socket", "sqlite3", "ssl", "statistics", "string", "struct", "subprocess", "tarfile", "threading",
        "tokenize", "tomllib", "unicodedata", "urllib", "uu", "warnings", "wave", "xml", "xmlrpc", "zipapp", "zipfile",
        "zipimport", "zlib", "zoneinfo",
    }
)  # fmt: skip
"""Packages whose exceptions and named tuples the subject may name to the driver, who then imports them: that does
nothing else."""
NEVER: Final = frozenset({"antigravity", "this", "idlelib", "turtledemo", "turtle", "test", "lib2to3"})
"""Modules that act when they are imported."""
HEAP_TYPE: Final = 1 << 9
"""Py_TPFLAGS_HEAPTYPE: the class was made at run time (https://docs.python.org/3/c-api/typeobj.html, 2026-11)."""
ABSTRACT: Final = 1 << 20
"""Py_TPFLAGS_IS_ABSTRACT: the class has no objects (inspect.TPFLAGS_IS_ABSTRACT)."""
PROXIED: Final = frozenset(
    {"unittest.case.SkipTest", "builtins.classmethod", "builtins.staticmethod", "builtins.property"}
)
"""Named classes that would act on the driver's own machinery."""


UNNAMED: Final[dict[type, str]] = {
    kind: name
    for name, kind in vars(types).items()
    if isinstance(kind, type) and getattr(builtins, kind.__name__, None) is not kind
}
"""Built-in classes that have no name among the built-ins."""


def is_standard(module: str) -> bool:
    """Whether a module belongs to Python."""
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names and top not in NEVER and top != "__main__"


def is_pythons_own(kind: type) -> bool:
    """Whether a class belongs to Python: one that is made at run time may only be called as if it did (`abc.Shape`)."""
    if not is_standard(str(kind.__module__)):
        return False
    made_in_c = not kind.__flags__ & HEAP_TYPE
    return made_in_c or "<" in kind.__qualname__ or _find(kind.__module__, kind.__qualname__, load=False) is not None


def is_known(kind: type, *, to_driver: bool) -> bool:
    """Whether a class may be named.

    Args:
        kind: the class.
        to_driver: the subject names it to the driver, who is careful what it takes by name.
    """
    if kind in UNNAMED:
        return True
    module = str(kind.__module__)
    if not is_standard(module) or "<" in kind.__qualname__:
        return False
    if f"{module}.{kind.__qualname__}" in PROXIED or _find(module, kind.__qualname__, load=False) is not kind:
        return False
    if not to_driver or module in VALUE_MODULES:
        return True
    return issubclass(kind, tuple | BaseException) and _may_raise(module)


def _may_raise(module: str) -> bool:
    return module.partition(".")[0] in RAISING


def place_of(kind: type) -> list[str]:
    """`[module, qualname]` under which a known class is found; that of None is in `types`."""
    return ["types", UNNAMED[kind]] if kind in UNNAMED else [kind.__module__, kind.__qualname__]


def standing(module: Any, qualname: Any) -> type | None:
    """The class of a name that is loaded here already; for questions of `isinstance` only."""
    if not isinstance(module, str) or not isinstance(qualname, str):
        return None
    found = _find(module, qualname, load=False)
    if found is None and module == "builtins":
        return next((kind for kind in UNNAMED if kind.__name__ == qualname), None)
    return found if isinstance(found, type) else None


def named(module: Any, qualname: Any, *, in_driver: bool) -> type:
    """The class of a name. Raises Malformed: it is none that may be named."""
    if not isinstance(module, str) or not isinstance(qualname, str):
        raise Malformed("a class has no name")
    may_load = not in_driver or module in VALUE_MODULES or _may_raise(module)
    found = _find(module, qualname, load=may_load)
    if not isinstance(found, type) or not is_known(found, to_driver=in_driver):
        raise Malformed(f"class {str(qualname)[:80]} is not one to be named")
    return found


def function_name(value: Any) -> list[str] | None:
    """`[module, qualname]` of a function of Python's own, which the subject has as well."""
    if not isinstance(value, FunctionType | BuiltinFunctionType | MethodDescriptorType):
        return None
    owner = getattr(value, "__objclass__", None)
    module = getattr(owner if owner is not None else value, "__module__", None)
    qualname = value.__qualname__
    if not isinstance(module, str) or not is_standard(module) or _find(module, qualname, load=False) is not value:
        return None
    return [module, qualname]


def function_of(module: str, qualname: str) -> Any:
    """The function of a name; for the subject only."""
    return _find(module, qualname, load=True)


def _find(module: str, qualname: str, *, load: bool) -> Any:
    if load and module not in sys.modules and is_standard(module):
        importlib.import_module(module)
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found


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
LEADING: Final = (
    types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, types.CellType, types.GetSetDescriptorType,
    string.Formatter,
)  # fmt: skip
"""What leads to all the rest; a formatter takes the attributes of what it is given by names that it is given."""
JUDGING: Final = frozenset(
    {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__instancecheck__", "__subclasscheck__"}
)
"""Operators that compare: a test in which the other side's own does is not one of plain data, and not attested."""

_OPERATORS: Final = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
COMPUTING: Final = frozenset(f"__{prefix}{name}__" for prefix in ("", "r", "i") for name in _OPERATORS)
"""Operators that are told the other operand. Where that is plain, and the answer is, they decide as a comparison does:
`abs(f() - 5) < 1` holds for whatever answers 0."""
SPECIAL: Final = (
    JUDGING - {"__subclasscheck__"} | COMPUTING
    | {
        "__call__", "__iter__", "__next__", "__len__", "__bool__", "__contains__", "__getitem__", "__setitem__",
        "__delitem__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__aiter__", "__anext__", "__await__",
        "__neg__", "__pos__", "__abs__", "__invert__", "__int__", "__float__", "__complex__", "__index__", "__round__",
        "__trunc__", "__floor__", "__ceil__", "__reversed__", "__str__", "__length_hint__", "__missing__", "__repr__",
        "__format__", "__bytes__", "__fspath__", "__get__", "__set__", "__delete__", "__post_init__", "__init__",
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
