"""What import statements bring, under the usual spelling of each module."""

# ruff: noqa: SIM905 - long tables of names read best as words


# ruff: noqa: E501 - tables, one subject per line

import ast
import string
from typing import Any, Final

from refute.scan.core.symbols import TEMP
from refute.scan.python.state import Walker
from refute.scan.python.values import (
    UNK,
    Ref,
)

# Modules whose members do the same under another name.
_ALIASES: Final = {"posix": "os", "nt": "os", "_posixsubprocess": "subprocess", "__builtin__": "builtins", "_io": "io", "posixpath": "os.path", "ntpath": "os.path", "_pickle": "pickle", "cPickle": "pickle", "_socket": "socket", "cloudpickle": "pickle", "dill": "pickle", "commands": "subprocess", "urllib2": "urllib.request", "popen2": "os", "requests.sessions": "requests", "simplejson": "json", "pathlib2": "pathlib", "multiprocess": "multiprocessing"}  # fmt: skip


_CONSTANTS: Final = {
    "sys.executable": "python3",
    "sys.platform": "linux",
    "os.name": "posix",
    "os.sep": "/",
    "os.path.sep": "/",
    "os.curdir": ".",
    "os.pardir": "..",
    "os.devnull": "/dev/null",
    "os.linesep": "\n",
    "subprocess.PIPE": -1,
    "subprocess.DEVNULL": -3,
    "subprocess.STDOUT": -2,
    "signal.SIGKILL": 9,
    "signal.SIGTERM": 15,
    "tempfile.tempdir": TEMP,
    **{
        f"string.{name}": getattr(string, name)
        for name in """ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable
            whitespace""".split()
    },
}


def canonical(name: str) -> str:
    """A dotted name with its module's usual spelling."""
    first, dot, rest = name.partition(".")
    if first in _ALIASES:
        return _ALIASES[first] + dot + rest
    return name.replace("requests.sessions", "requests", 1) if name.startswith("requests.sessions") else name


def bind_import(walker: Walker, node: ast.Import | ast.ImportFrom) -> None:
    """Bind what an import statement brings, and note the modules beside the file that it runs."""
    names = walker.env.names
    if isinstance(node, ast.Import):
        for alias in node.names:
            walker.report.reached.append((alias.name, "import"))
            if alias.asname:
                names[alias.asname] = Ref(canonical(alias.name))
            else:
                names[alias.name.partition(".")[0]] = Ref(canonical(alias.name.partition(".")[0]))
        return
    module = canonical(node.module or "")
    walker.report.reached.append((node.module or "", "import"))
    for alias in node.names:
        if alias.name == "*":
            walker.stars.append(module)
        elif node.level:
            names[alias.asname or alias.name] = UNK
        else:
            names[alias.asname or alias.name] = member(f"{module}.{alias.name}")


def member(name: str) -> Any:
    """A member of a module by dotted name."""
    name = canonical(name)
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    return Ref(name)
