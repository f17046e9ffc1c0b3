"""Python calls on files whose effects depend on a mode or a pattern."""

import re
from typing import Any, Final

from refute.scan.core import paths
from refute.scan.core.effects import ChangeMode, Effects, Flag, List, Read, Write
from refute.scan.core.symbols import DERIVED, HOME, HOST_DATA, NAME, OUTPUT, SECRET
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, FileValue, PathValue, as_text

_ARCHIVE: Final = "archive"
"""Mode of a file that is an archive: what is written into it is read from elsewhere."""
_SETUID: Final = 0o6000
_ALL: Final = frozenset({"*", "**", "**/*", ".*", "*.*"})


def opened(call: Call, value: Any) -> Effects:
    """Opening a file in a mode; returns the open file."""
    path, mode = as_text(value), call.argument(1, "mode")
    if isinstance(value, int):
        return UNK
    mode = mode if isinstance(mode, str) else "r"
    writes = bool(set(mode) & set("wax"))
    if writes or "+" in mode:
        yield Write(path)
    if "r" in mode or "+" in mode or not writes:
        content = yield Read(path)
        if content in {SECRET, HOST_DATA}:
            return FileValue(content, mode)
        if DERIVED in path:
            yield Flag("read-host-file", detail="The path is hidden.")
    return FileValue(path, mode)


def _walk(call: Call) -> Effects:
    yield List(call.text(0, "top"))
    return [(f"{call.text(0)}/{NAME}", [NAME], [NAME])]


def _glob(call: Call) -> Effects:
    pattern = call.text(0, "pathname")
    directory = re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")[0] or "/"
    whole = pattern.startswith(("/", "~", HOME)) and pattern[len(directory) :].strip("/") in _ALL
    yield List(directory) if whole else Read(pattern)
    return [f"{directory}/{NAME}"] if "/" in pattern else [NAME]


def _list_path(call: Call) -> Effects:
    pattern = call.argument(1)
    if pattern is UNK or pattern in _ALL:
        yield List(call.text(0))
    return [PathValue(f"{call.text(0).rstrip('/')}/{NAME}")]


def _chmod(call: Call) -> Effects:
    mode = call.argument(1, "mode")
    if isinstance(mode, int) and mode & _SETUID:
        yield Flag("setuid")
    yield ChangeMode(call.text(0, "path"))
    return UNK


def _archive(call: Call) -> Effects:
    mode = call.argument(1, "mode")
    writes = isinstance(mode, str) and mode[:1] in {"w", "x", "a"}
    yield Write(call.text(0, "name")) if writes else Read(call.text(0, "name"))
    return FileValue(call.text(0), _ARCHIVE)


def _read_file(call: Call) -> Effects:
    yield from ()
    path = call.text(0)
    if path in {SECRET, HOST_DATA, ""}:
        return path or OUTPUT
    return call.walker.report.written.get(paths.locate(path, call.walker.cwd).text, OUTPUT)


def written(file: FileValue, text: str) -> Effects:
    """Writing a text into an open file."""
    if file.mode == _ARCHIVE:
        yield Read(text)
        yield List(text)
    else:
        yield Write(file.path, text, appends=True)
        if SECRET in text:
            yield Flag("environment-dump", mild=True)
    return UNK


def _write_file(call: Call) -> Effects:
    return (yield from written(call.arguments[0], call.text(1)))


def _write_path(call: Call) -> Effects:
    yield Write(call.text(0), call.text(1, "data"))
    return UNK


def _chdir(call: Call) -> Effects:
    yield from ()
    call.walker.cwd = paths.locate(call.text(0, "path"), call.walker.cwd).text
    return UNK


HANDLERS: Final = {
    "walk": _walk,
    "glob": _glob,
    "list_path": _list_path,
    "chmod": _chmod,
    "archive": _archive,
    "read_file": _read_file,
    "write_file": _write_file,
    "write_path": _write_path,
    "chdir": _chdir,
}
