"""Python calls that touch files."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from typing import Any, Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.python.call import PythonCall
from refute.scan.python.values import UNK, FileValue, PathValue, as_text, lift
from refute.scan.symbols import DERIVED, HERE, HOME, NAME, OUTPUT, TEMP, is_open

ARCHIVE: Final = "archive"
"""Mode of a file that is an archive: what is written into it is read from elsewhere."""


SETUID: Final = 0o6000


def text_argument(call: PythonCall, position: int, keyword: str = "") -> str:
    """An argument as text, by position or keyword."""
    return as_text(call.argument(position, keyword))


def _open(call: PythonCall) -> Any:
    path = call.argument(0, "file")
    if isinstance(path, int):
        return UNK
    mode = call.argument(1, "mode")
    return opened(call, as_text(path), mode if isinstance(mode, str) else "r")


def opened(call: PythonCall, path: str, mode: str) -> FileValue:
    """Judge opening a file in a mode; returns the open file."""
    if set(mode) & set("wax+"):
        call.act.write(path)
    if "r" in mode or "+" in mode or not set(mode) & set("wax"):
        content = call.act.read(path)
        if content:
            return FileValue(content, mode)
        if DERIVED in path:
            call.act.add("read-host-file", severity=Severity.MEDIUM, detail="The path is hidden.")
    return FileValue(path, mode)


def _os_open(call: PythonCall) -> Any:
    flags = call.argument(1)
    writes = not isinstance(flags, int) or flags & 3
    (call.act.write if writes and isinstance(flags, int) else call.act.read)(text_argument(call, 0))
    return UNK


def _remove(call: PythonCall) -> None:
    call.act.delete(text_argument(call, 0, "path"), recursive=False)


def _rmtree(call: PythonCall) -> None:
    call.act.delete(text_argument(call, 0, "path"), recursive=True)


def _move(call: PythonCall) -> Any:
    call.act.delete(text_argument(call, 0, "src"), recursive=False)
    call.act.read(text_argument(call, 0, "src"))
    call.act.write(text_argument(call, 1, "dst"))
    return call.argument(1, "dst")


def _copy(call: PythonCall) -> Any:
    call.act.read(text_argument(call, 0, "src"))
    call.act.write(text_argument(call, 1, "dst"))
    return call.argument(1, "dst")


def _copy_tree(call: PythonCall) -> Any:
    call.act.list(text_argument(call, 0, "src"))
    return _copy(call)


def _write(call: PythonCall) -> None:
    call.act.write(text_argument(call, 0, "path"))


def _write_log(call: PythonCall) -> Any:
    """A log file, whose lines are what the module wants them to be."""
    path = call.argument(0, "filename")
    if isinstance(path, str | PathValue):
        call.act.write(as_text(path))
    return UNK


def _link(call: PythonCall) -> None:
    call.act.read(text_argument(call, 0, "src"))
    call.act.write(text_argument(call, 1, "dst"))


def _read(call: PythonCall) -> Any:
    value = call.argument(0)
    for path in map(as_text, value) if isinstance(value, list | tuple) else [text_argument(call, 0, "path")]:
        call.act.read(path)
    return UNK


def _list(call: PythonCall) -> Any:
    path = call.argument(0, "path")
    text = as_text(path) if path is not UNK else "."
    call.act.list(text)
    return UNK


def _walk(call: PythonCall) -> Any:
    _list(call)
    found = f"{text_argument(call, 0)}/{NAME}"
    return [(found, [NAME], [NAME])]


def _glob(call: PythonCall) -> Any:
    pattern = text_argument(call, 0, "pathname")
    literal = re.match(r"[^*?\[]*", pattern)
    directory = (literal.group() if literal else pattern).rpartition("/")[0] or "/"
    rest = pattern[len(directory) :].strip("/")
    if pattern.startswith(("/", "~", HOME)) and rest in {"*", "**", "**/*", ".*", "*.*"}:
        call.act.list(directory)
    else:
        call.act.read(pattern)
    return [f"{directory}/{NAME}"] if "/" in pattern else [NAME]


def _chmod(call: PythonCall) -> None:
    mode = call.argument(1, "mode")
    if isinstance(mode, int) and mode & SETUID:
        call.act.add("setuid")
    call.act.change_mode(text_argument(call, 0, "path"))


def _chown(call: PythonCall) -> None:
    call.act.change_mode(text_argument(call, 0, "path"))


def _chdir(call: PythonCall) -> None:
    call.walker.cwd = paths.locate(text_argument(call, 0, "path"), call.walker.cwd).text


def _make_archive(call: PythonCall) -> Any:
    root = as_text(call.argument(2, "root_dir")) if len(call.arguments) > 2 or "root_dir" in call.keywords else "."  # noqa: PLR2004
    call.act.list(root)
    call.act.read(root)
    call.act.write(text_argument(call, 0, "base_name"))
    return UNK


def _archive(call: PythonCall) -> Any:
    mode = call.argument(1, "mode")
    writes = isinstance(mode, str) and mode[:1] in {"w", "x", "a"}
    (call.act.write if writes else call.act.read)(text_argument(call, 0, "name"))
    return FileValue(text_argument(call, 0), ARCHIVE)


def _join(call: PythonCall) -> Any:
    def one(*parts: Any) -> str:
        path = ""
        for part in map(as_text, parts):
            path = part if part.startswith(("/", HOME, TEMP, HERE)) or not path else f"{path.rstrip('/')}/{part}"
        return path

    return lift(one, *call.arguments)


def _absolute(call: PythonCall) -> Any:
    return lift(lambda value: paths.normalise(as_text(value)) if as_text(value) else HERE, call.argument(0))


def _dirname(call: PythonCall) -> Any:
    def one(value: Any) -> str:
        text = as_text(value)
        head, slash, _ = text.rstrip("/").rpartition("/")
        return head or ("/" if slash else text if len(text) == 1 and is_open(text) else "")

    return lift(one, call.argument(0))


def _basename(call: PythonCall) -> Any:
    def one(value: Any) -> str:
        tail = as_text(value).rpartition("/")[2]
        return NAME if is_open(tail) else tail

    return lift(one, call.argument(0))


def _expanduser(call: PythonCall) -> Any:
    return lift(lambda value: re.sub(r"^~(?=/|\Z)", HOME, as_text(value)), call.argument(0))


def _make_path(call: PythonCall) -> Any:
    return (
        PathValue(_join(call) if call.arguments else ".")
        if not any(a is UNK for a in call.arguments[:1])
        else PathValue(OUTPUT)
    )


def _constant(value: Any) -> Any:
    return lambda _call: value


HANDLERS: Final = {
    **dict.fromkeys(
        (
            "builtins.open io.open codecs.open os.fdopen aiofiles.open builtins.file gzip.open bz2.open lzma.open "
            "gzip.GzipFile tokenize.open io.FileIO fileinput.input mmap.mmap"
        ).split(),
        _open,
    ),
    "os.open": _os_open,
    "os.chdir": _chdir,
    **dict.fromkeys(("os.remove", "os.unlink", "os.rmdir", "os.removedirs"), _remove),
    **dict.fromkeys(
        (
            "shutil.rmtree",
            "distutils.dir_util.remove_tree",
            "send2trash.send2trash",
            "setuptools.distutils.dir_util.remove_tree",
        ),
        _rmtree,
    ),
    **dict.fromkeys(("os.rename", "os.renames", "os.replace", "shutil.move"), _move),
    **dict.fromkeys(("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copymode"), _copy),
    "shutil.copytree": _copy_tree,
    **dict.fromkeys(
        ("os.mkdir", "os.makedirs", "os.truncate", "os.mknod", "os.mkfifo", "os.utime", "os.setxattr"), _write
    ),
    **dict.fromkeys(("os.symlink", "os.link"), _link),
    **dict.fromkeys(
        (
            "logging.basicConfig logging.FileHandler logging.handlers.RotatingFileHandler "
            "logging.handlers.TimedRotatingFileHandler logging.handlers.WatchedFileHandler"
        ).split(),
        _write_log,
    ),
    **dict.fromkeys(("os.listdir", "os.scandir"), _list),
    **dict.fromkeys(("os.walk", "os.fwalk"), _walk),
    "shutil.make_archive": _make_archive,
    **dict.fromkeys(("glob.glob", "glob.iglob"), _glob),
    **dict.fromkeys(("os.chmod", "os.lchmod"), _chmod),
    **dict.fromkeys(("os.chown", "os.lchown", "shutil.chown", "os.chflags"), _chown),
    **dict.fromkeys(
        (
            "linecache.getline linecache.getlines sqlite3.connect numpy.loadtxt numpy.fromfile "
            "numpy.genfromtxt configparser.ConfigParser().read os.readlink pkgutil.get_data"
        ).split(),
        _read,
    ),
    **dict.fromkeys(("zipfile.ZipFile", "tarfile.open", "tarfile.TarFile", "shutil.unpack_archive"), _archive),
    "os.path.join": _join,
    **dict.fromkeys(("os.path.abspath", "os.path.realpath", "os.path.normpath"), _absolute),
    "os.path.dirname": _dirname,
    "os.path.basename": _basename,
    **dict.fromkeys(("os.path.expanduser",), _expanduser),
    "os.path.expandvars": lambda call: as_text(call.argument(0)).replace("$HOME", HOME),
    "os.fspath": lambda call: as_text(call.argument(0)),
    **dict.fromkeys(("os.getcwd", "os.getcwdb"), _constant(HERE)),
    **dict.fromkeys(
        (
            "pathlib.Path",
            "pathlib.PosixPath",
            "pathlib.PurePath",
            "pathlib.PurePosixPath",
            "py.path.local",
            "anyio.Path",
        ),
        _make_path,
    ),
    "pathlib.Path.cwd": _constant(PathValue(HERE)),
    "pathlib.Path.home": _constant(PathValue(HOME)),
    **dict.fromkeys(
        ("tempfile.mkdtemp", "tempfile.gettempdir", "tempfile.mktemp", "tmp_path_factory.mktemp"),
        _constant(TEMP + "/x"),
    ),
    "tempfile.mkstemp": _constant((UNK, TEMP + "/x")),
    **dict.fromkeys(
        ("tempfile.NamedTemporaryFile", "tempfile.TemporaryFile", "tempfile.SpooledTemporaryFile"),
        _constant(FileValue(TEMP + "/x", "w+")),
    ),
    "tmp_path_factory.getbasetemp": _constant(PathValue(TEMP)),
}
