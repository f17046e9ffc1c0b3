"""What names stand for: members of modules, attributes, elements, and calls that do nothing but name a place."""

# ruff: noqa: SIM905 - long tables of names read best as words

import os
import posixpath
import re
import signal
import stat
import string
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from refute.scan.core import paths
from refute.scan.core import symbols as sym
from refute.scan.core.symbols import DOWNLOAD, HERE, HOME, NAME, OUTPUT, OWN_PROCESS, TEMP, UNKNOWN, is_open
from refute.scan.python.values import UNK, Bound, FileValue, Members, PathText, Ref, as_text

POWERFUL: Final = frozenset("os subprocess builtins sys ctypes shutil importlib pty socket code runpy".split())
"""Modules by which a computed name can do anything."""
_ALIASES: Final = dict(
    word.split(":")
    for word in """posix:os nt:os _posixsubprocess:subprocess __builtin__:builtins __builtins__:builtins _io:io
    posixpath:os.path ntpath:os.path _pickle:pickle cPickle:pickle cloudpickle:pickle dill:pickle _socket:socket
    commands:subprocess urllib2:urllib.request popen2:os pathlib2:pathlib multiprocess:multiprocessing""".split()
)
"""Modules whose members do the same under another name."""
_OPEN_BOOKS: Final = {module.__name__: module for module in (signal, stat, string, os)} | {"os.path": posixpath}
"""Modules whose numbers and texts are what they are here."""
_CONSTANTS: Final = {"sys.executable": "python3", "sys.platform": "linux", "tempfile.tempdir": TEMP}
_TEMPORARY: Final = FileValue(f"{TEMP}/x")


def canonical(name: str) -> str:
    """A dotted name with its module's usual spelling."""
    first, dot, rest = name.replace("requests.sessions", "requests", 1).partition(".")
    return _ALIASES.get(first, first) + dot + rest


def member(name: str) -> Any:
    """A member of a module by dotted name."""
    name = canonical(name)
    module, _, last = name.rpartition(".")
    known = getattr(_OPEN_BOOKS[module], last, None) if module in _OPEN_BOOKS and last[:1] != "_" else None
    return known if isinstance(known, str | int) else _CONSTANTS.get(name, Ref(name))


def environment_value(name: Any = None, *_default: Any) -> str:
    """A variable of the environment."""
    return sym.ENVIRONMENT.get(name, UNKNOWN) if isinstance(name, str) else UNKNOWN


def attribute(owner: Any, name: str) -> Any:  # noqa: PLR0911 - one return per kind of owner
    """`owner.name`."""
    match owner:
        case _ if name == "__call__":
            return owner
        case Ref(base) if name != "__getattribute__":
            table = base.endswith("__dict__") or base in {"globals()", "os.environ", "sys.modules"}
            return Bound(owner, name) if table else member(f"{base}.{name}")
        case PathText() if name == "parent":
            return PathText(_directory(owner) or (owner if len(owner) == 1 else "."))
        case str() if DOWNLOAD in owner and not isinstance(owner, PathText):
            return owner
        case Members() if name in owner:
            return owner[name]
        case FileValue(path) if name == "name":
            return path
        case _ if name in {"__globals__", "f_globals"}:
            return Ref("globals()")
    return Bound(owner, name)


def joined(*parts: Any) -> str:
    """Paths joined as `os.path.join` and pathlib do."""
    path = ""
    for part in map(as_text, parts):
        path = part if part.startswith(("/", HOME, TEMP, HERE)) or not path else f"{path.rstrip('/')}/{part}"
    return path


def _directory(value: Any) -> str:
    text = as_text(value)
    alone = "/" if text[:1] == "/" else text if len(text) == 1 and is_open(text) else ""
    return posixpath.dirname(text.rstrip("/")) or alone


def _at_home(value: Any) -> str:
    return re.sub(r"^~(?=/|\Z)", HOME, as_text(value))


def _path(*parts: Any) -> PathText:
    return PathText(OUTPUT if parts and parts[0] is UNK else joined(*parts) if parts else ".")


_YIELDS: Final[Mapping[str, Callable[..., Any]]] = {
    "os.path.join": joined,
    "os.path.abspath os.path.realpath os.path.normpath": lambda value: paths.normalise(as_text(value) or HERE),
    "os.path.dirname": _directory,
    "os.path.basename": lambda value: NAME if is_open(tail := posixpath.basename(as_text(value))) else tail,
    "os.path.expanduser": _at_home,
    "os.path.expandvars": lambda value: as_text(value).replace("$HOME", HOME),
    "os.fspath Path.as_posix Path.__str__ Path.__fspath__": as_text,
    "os.getcwd os.getcwdb": lambda: HERE,
    "pathlib.Path.cwd": lambda: PathText(HERE),
    "pathlib.Path.home": lambda: PathText(HOME),
    "Path.resolve Path.absolute": lambda path, *_: PathText(paths.normalise(path)),
    "Path.expanduser": lambda path: PathText(_at_home(path)),
    "Path.joinpath Path.join": lambda *parts: PathText("/".join(map(as_text, parts))),
    "Path.with_suffix Path.with_name Path.with_stem Path.relative_to": lambda path, *_: path,
    "pathlib.Path pathlib.PosixPath pathlib.PurePath pathlib.PurePosixPath py.path.local anyio.Path": _path,
    "tempfile.mkdtemp tempfile.gettempdir tempfile.mktemp": lambda *_: f"{TEMP}/x",
    "tempfile.TemporaryDirectory": lambda *_: FileValue(TEMP),
    "tempfile.mkstemp": lambda *_: (UNK, f"{TEMP}/x"),
    "tempfile.NamedTemporaryFile tempfile.TemporaryFile tempfile.SpooledTemporaryFile": lambda *_: _TEMPORARY,
    "os.getenv os.environ.get": environment_value,
    "os.getpid os.getpgrp": lambda: OWN_PROCESS,
    "sys.stdin.read sys.stdin.readline sys.stdin.readlines builtins.input": lambda *_: UNKNOWN,
}
NAMED: Final = MappingProxyType({name: made for names, made in _YIELDS.items() for name in names.split()})
"""Calls that do nothing, and what they yield."""
