"""Python calls that touch files, and methods of paths and of open files."""

import re
from typing import Any, Final

from refute.scan.core import paths
from refute.scan.core.effects import ChangeMode, Delete, Effects, Flag, List, Read, Write
from refute.scan.core.symbols import DERIVED, HERE, HOME, HOST_DATA, NAME, OUTPUT, SECRET, TEMP, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, FileValue, PathValue, as_text, lift

ARCHIVE: Final = "archive"
"""Mode of a file that is an archive: what is written into it is read from elsewhere."""
_SETUID: Final = 0o6000
_ALL: Final = frozenset({"*", "**", "**/*", ".*", "*.*"})


def _open(call: Call, _row: Command) -> Effects:
    path = call.argument(0, "file")
    if isinstance(path, int):
        return UNK
    return (yield from _opened(as_text(path), call.argument(1, "mode")))


def _opened(path: str, mode: Any) -> Effects:
    """Opening a file in a mode; returns the open file."""
    mode = mode if isinstance(mode, str) else "r"
    if set(mode) & set("wax+"):
        yield Write(path)
    if "r" in mode or "+" in mode or not set(mode) & set("wax"):
        content = yield Read(path)
        if content in {SECRET, HOST_DATA}:
            return FileValue(content, mode)
        if DERIVED in path:
            yield Flag("read-host-file", mild=True, detail="The path is hidden.")
    return FileValue(path, mode)


def _os_open(call: Call, _row: Command) -> Effects:
    flags = call.argument(1)
    yield Write(call.text(0)) if isinstance(flags, int) and flags & 3 else Read(call.text(0))
    return UNK


def _walk(call: Call, _row: Command) -> Effects:
    yield List(call.text(0, "top"))
    return [(f"{call.text(0)}/{NAME}", [NAME], [NAME])]


def _glob(call: Call, _row: Command) -> Effects:
    pattern = call.text(0, "pathname")
    directory = re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")[0] or "/"
    whole = pattern.startswith(("/", "~", HOME)) and pattern[len(directory) :].strip("/") in _ALL
    yield List(directory) if whole else Read(pattern)
    return [f"{directory}/{NAME}"] if "/" in pattern else [NAME]


def _chmod(call: Call, _row: Command) -> Effects:
    yield from _mode(call.text(0, "path"), call.argument(1, "mode"))
    return UNK


def _mode(path: str, mode: Any) -> Effects:
    if isinstance(mode, int) and mode & _SETUID:
        yield Flag("setuid")
    yield ChangeMode(path)


def _archive(call: Call, _row: Command) -> Effects:
    mode = call.argument(1, "mode")
    writes = isinstance(mode, str) and mode[:1] in {"w", "x", "a"}
    yield Write(call.text(0, "name")) if writes else Read(call.text(0, "name"))
    return FileValue(call.text(0), ARCHIVE)


def _place(call: Call, _row: Command) -> Effects:  # noqa: PLR0911 - one return per kind
    """Calls that only name places."""
    yield from ()
    name = call.name.rpartition(".")[2]
    match name:
        case "chdir":
            call.walker.cwd = paths.locate(call.text(0, "path"), call.walker.cwd).text
            return UNK
        case "join":
            return lift(_joined, *call.arguments)
        case "abspath" | "realpath" | "normpath":
            return lift(lambda value: paths.normalise(as_text(value)) if as_text(value) else HERE, call.argument(0))
        case "dirname":
            return lift(_directory, call.argument(0))
        case "basename":
            return lift(lambda value: _base(as_text(value)), call.argument(0))
        case "expanduser":
            return lift(_at_home, call.argument(0))
        case "expandvars":
            return call.text(0).replace("$HOME", HOME)
        case "fspath":
            return call.text(0)
    return _fixed(call, name)


def _fixed(call: Call, name: str) -> Any:
    fixed = {
        "getcwd": HERE,
        "getcwdb": HERE,
        "cwd": PathValue(HERE),
        "home": PathValue(HOME),
        "mkstemp": (UNK, TEMP + "/x"),
        "getbasetemp": PathValue(TEMP),
    }
    if name in fixed:
        return fixed[name]
    if name.endswith("File"):
        return FileValue(TEMP + "/x", "w+")
    if call.name.startswith(("tempfile.", "tmp_path_factory.")):
        return TEMP + "/x"
    if call.argument(0) is UNK and call.arguments:
        return PathValue(OUTPUT)
    return PathValue(lift(_joined, *call.arguments) if call.arguments else ".")


def _joined(*parts: Any) -> str:
    path = ""
    for part in map(as_text, parts):
        path = part if part.startswith(("/", HOME, TEMP, HERE)) or not path else f"{path.rstrip('/')}/{part}"
    return path


def _directory(value: Any) -> str:
    text = as_text(value)
    head, slash, _ = text.rstrip("/").rpartition("/")
    return head or ("/" if slash else text if len(text) == 1 and is_open(text) else "")


def _base(text: str) -> str:
    tail = text.rpartition("/")[2]
    return NAME if is_open(tail) else tail


def _at_home(value: Any) -> str:
    return re.sub(r"^~(?=/|\Z)", HOME, as_text(value))


HANDLERS: Final = {
    "open": _open,
    "os_open": _os_open,
    "walk": _walk,
    "glob": _glob,
    "chmod": _chmod,
    "archive": _archive,
    "place": _place,
}


def path_method(call: Call, name: str, path: PathValue) -> Effects | None:  # noqa: PLR0911 - one return per kind
    """The effects of a method of a `pathlib` path; None where it is none that matters."""
    text = path.text
    match name:
        case "open":
            return _opened(text, call.argument(0, "mode"))
        case "read_text" | "read_bytes" | "read":
            return _answered(Read(text))
        case "write_text" | "write_bytes" | "write":
            return _done(Write(text, as_text(call.argument(0, "data"))))
        case "touch" | "mkdir" | "symlink_to" | "hardlink_to" | "ensure":
            return _done(Write(text))
        case "unlink" | "rmdir" | "remove":
            return _done(Delete(text))
        case "rename" | "replace":
            target = call.text(0, "target")
            return _done(Delete(text), Write(target), value=PathValue(target))
        case "iterdir" | "glob" | "rglob" | "walk" | "listdir":
            pattern = call.argument(0)
            whole = pattern is UNK or pattern in _ALL
            return _done(*[List(text)] * whole, value=[PathValue(f"{text.rstrip('/')}/{NAME}")])
        case "chmod":
            return _mode(text, call.argument(0, "mode"))
    made = _same_kind(call, name, text)
    return None if made is None else _done(value=made)


def _same_kind(call: Call, name: str, text: str) -> Any:
    match name:
        case "resolve" | "absolute":
            return PathValue(paths.normalise(text))
        case "expanduser":
            return PathValue(_at_home(text))
        case "joinpath" | "join":
            return PathValue("/".join([text, *map(as_text, call.arguments)]))
        case "with_suffix" | "with_name" | "with_stem" | "relative_to":
            return PathValue(text)
        case "as_posix" | "__str__" | "__fspath__":
            return text
    return None


def file_method(call: Call, name: str, file: FileValue) -> Effects | None:  # noqa: PLR0911 - one return per kind
    """The effects of a method of an open file; None where it is none that matters."""
    match name:
        case "read" | "readline" | "readlines" | "__iter__":
            if file.path in {SECRET, HOST_DATA} or not file.path:
                return _done(value=file.path or OUTPUT)
            located = paths.locate(file.path, call.walker.cwd).text
            return _done(value=call.walker.report.written.get(located, OUTPUT))
        case "write" | "writelines" | "writestr" if file.mode != ARCHIVE:
            leaks = SECRET in call.text(0)
            effects = [Write(file.path, call.text(0), appends=True), *[Flag("environment-dump", mild=True)] * leaks]
            return _done(*effects)
        case "write" | "writestr" | "add":
            return _done(Read(call.text(0)), List(call.text(0)))
        case "extractall" | "extract":
            target = call.argument(0, "path")
            return _done(*([Write(as_text(target))] if isinstance(target, str | PathValue) else []))
        case "__enter__":
            return _done(value=file)
    return None


def _done(*effects: Any, value: Any = UNK) -> Effects:
    for effect in effects:  # noqa: UP028 - a tuple takes no answers
        yield effect
    return value


def _answered(effect: Read) -> Effects:
    content = yield effect
    return OUTPUT if content == UNKNOWN else content
