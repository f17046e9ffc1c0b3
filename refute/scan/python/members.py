"""What names, attributes and items stand for, and what calls yield that do nothing but name a place."""

# ruff: noqa: SIM905 - long tables of names read best as words
# ruff: noqa: PLR0911 - decision lists read best with one return per case

import re
import string
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from refute.scan.core import paths
from refute.scan.core.symbols import DOWNLOAD, HERE, HOME, NAME, OUTPUT, OWN_PROCESS, TEMP, UNKNOWN, is_known, is_open
from refute.scan.python.folding import PURE
from refute.scan.python.values import (
    DOWNLOADED,
    MAX_ITEMS,
    UNK,
    Bound,
    Choice,
    Class,
    FileValue,
    Function,
    Instance,
    PathValue,
    Ref,
    as_text,
)

POWERFUL: Final = frozenset("os subprocess builtins sys ctypes shutil importlib pty socket code runpy".split())
"""Modules by which a computed name can do anything."""
_ALIASES: Final = dict(
    word.split(":")
    for word in """posix:os nt:os _posixsubprocess:subprocess __builtin__:builtins _io:io posixpath:os.path
    ntpath:os.path _pickle:pickle cPickle:pickle _socket:socket cloudpickle:pickle dill:pickle commands:subprocess
    urllib2:urllib.request popen2:os simplejson:json pathlib2:pathlib multiprocess:multiprocessing""".split()
)
"""Modules whose members do the same under another name."""
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
_VARIABLES: Final = {"HOME": HOME, "TMPDIR": TEMP, "TEMP": TEMP, "TMP": TEMP, "USER": NAME}
_BRINGING: Final = frozenset("read json decode iter_content readlines iter_lines".split())
"""Methods that hand out what came over the network."""


def canonical(name: str) -> str:
    """A dotted name with its module's usual spelling."""
    first, dot, rest = name.replace("requests.sessions", "requests", 1).partition(".")
    return _ALIASES.get(first, first) + dot + rest


def member(name: str) -> Any:
    """A member of a module by dotted name."""
    name = canonical(name)
    return _CONSTANTS.get(name, Ref(name))


def environment_value(name: Any = None, *_default: Any) -> str:
    """A variable of the environment."""
    return _VARIABLES.get(name, UNKNOWN) if isinstance(name, str) else UNKNOWN


def attribute(owner: Any, name: str) -> Any:
    """`owner.name`."""
    match owner:
        case _ if name == "__call__":
            return owner
        case Ref() if name != "__getattribute__":
            return _of_reference(owner, name)
        case PathValue():
            return _of_path(owner, name)
        case Instance() | Class():
            return _of_object(owner, name)
        case FileValue(path=path) if name == "name":
            return path
        case Function() if name in {"__globals__", "__builtins__", "__code__", "__closure__", "func_globals"}:
            return UNK
    return Bound(owner, name)


def _of_reference(owner: Ref, name: str) -> Any:
    if owner == DOWNLOADED:
        return Bound(DOWNLOAD, name) if name in _BRINGING else DOWNLOAD
    if owner.name == "tempfile.TemporaryDirectory()" and name == "name":
        return TEMP
    if owner.name.endswith("__dict__") or owner.name in {"globals()", "os.environ", "sys.modules"}:
        return Bound(owner, name)
    whole = f"{owner.name}.{name}"
    unbound = owner.name in {"builtins.str", "builtins.bytes", "builtins.int"} and whole not in PURE
    return Ref(f"unbound.{name}") if unbound and name != "fromhex" else member(whole)


def _of_path(owner: PathValue, name: str) -> Any:
    if name != "parent":
        return Bound(owner, name)
    head = owner.text.rstrip("/").rpartition("/")[0]
    return PathValue(head or ("/" if owner.text[:1] == "/" else owner.text if len(owner.text) == 1 else "."))


def _of_object(owner: Instance | Class, name: str) -> Any:
    of = owner.of if isinstance(owner, Instance) else owner
    if name in of.attributes:
        return of.attributes[name]
    if name in of.methods:
        method = of.methods[name]
        return method if isinstance(owner, Instance) else Function(method.node, method.env)
    return dict(of.attributes) if name == "__dict__" else Bound(owner, name)


def iterated(value: Any) -> Any:
    """The elements of an iterable as a list, or one value that stands for any of them."""
    if isinstance(value, list | tuple | dict):
        return list(value)
    if isinstance(value, bytes | range) or (isinstance(value, str) and is_known(value)):
        return list(value[:MAX_ITEMS])
    if isinstance(value, Choice):
        return iterated(value.options[0])
    if value == Ref("psutil.process_iter()"):
        return Ref("psutil.Process()")
    if isinstance(value, str):
        inside = value.startswith((TEMP, HERE))
        return f"{value}/{NAME}" if inside else UNKNOWN if UNKNOWN in value else OUTPUT
    return value if isinstance(value, PathValue) else UNK


def entered(value: Any) -> Any:
    """What `with value as x` binds."""
    if value == Ref("tempfile.TemporaryDirectory()"):
        return TEMP
    return value


def percent(template: str, values: Any) -> str:
    """`template % values` with unknown parts."""
    queue = list(values) if isinstance(values, tuple) else [values]
    *parts, last = template.replace("%%", "\x00").split("%s")
    filled = [part + (as_text(queue[index]) if index < len(queue) else UNKNOWN) for index, part in enumerate(parts)]
    return "".join([*filled, last]).replace("\x00", "%")


def joined(*parts: Any) -> str:
    """Paths joined as `os.path.join` and pathlib do."""
    path = ""
    for part in map(as_text, parts):
        path = part if part.startswith(("/", HOME, TEMP, HERE)) or not path else f"{path.rstrip('/')}/{part}"
    return path


def _absolute(value: Any) -> str:
    return paths.normalise(as_text(value)) if as_text(value) else HERE


def _directory(value: Any) -> str:
    text = as_text(value)
    head, slash, _ = text.rstrip("/").rpartition("/")
    return head or ("/" if slash else text if len(text) == 1 and is_open(text) else "")


def _base(value: Any) -> str:
    tail = as_text(value).rpartition("/")[2]
    return NAME if is_open(tail) else tail


def _at_home(value: Any) -> str:
    return re.sub(r"^~(?=/|\Z)", HOME, as_text(value))


def _path(*parts: Any) -> PathValue:
    return PathValue(OUTPUT if parts and parts[0] is UNK else joined(*parts) if parts else ".")


def _names(names: str, made: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    return dict.fromkeys(names.split(), made)


NAMED: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        **_names("os.path.join", joined),
        **_names("os.path.abspath os.path.realpath os.path.normpath", _absolute),
        **_names("os.path.dirname", _directory),
        **_names("os.path.basename", _base),
        **_names("os.path.expanduser", _at_home),
        **_names("os.path.expandvars", lambda value: as_text(value).replace("$HOME", HOME)),
        **_names("os.fspath Path.as_posix Path.__str__ Path.__fspath__", as_text),
        **_names("os.getcwd os.getcwdb", lambda: HERE),
        **_names("pathlib.Path.cwd", lambda: PathValue(HERE)),
        **_names("pathlib.Path.home", lambda: PathValue(HOME)),
        **_names("Path.resolve Path.absolute", lambda path, *_: PathValue(paths.normalise(path.text))),
        **_names("Path.expanduser", lambda path: PathValue(_at_home(path))),
        **_names("Path.joinpath Path.join", lambda *parts: PathValue("/".join(map(as_text, parts)))),
        **_names("Path.with_suffix Path.with_name Path.with_stem Path.relative_to", lambda path, *_: path),
        **_names(
            """pathlib.Path pathlib.PosixPath pathlib.PurePath pathlib.PurePosixPath py.path.local anyio.Path""", _path
        ),
        **_names("tempfile.mkdtemp tempfile.gettempdir tempfile.mktemp", lambda *_: f"{TEMP}/x"),
        **_names("tempfile.mkstemp", lambda *_: (UNK, f"{TEMP}/x")),
        **_names(
            "tempfile.NamedTemporaryFile tempfile.TemporaryFile tempfile.SpooledTemporaryFile",
            lambda *_: FileValue(f"{TEMP}/x", "w+"),
        ),
        **_names("os.getenv os.environ.get", environment_value),
        **_names("os.getpid os.getpgrp", lambda: OWN_PROCESS),
        **_names("sys.stdin.read sys.stdin.readline sys.stdin.readlines builtins.input", lambda *_: UNKNOWN),
    }
)
"""Calls that do nothing, and what they yield."""
