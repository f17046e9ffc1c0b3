"""Python calls on files whose effects depend on a mode or a pattern."""

import re
from typing import Any, Final

from refute.scan.core import paths
from refute.scan.core.effects import ChangeMode, Effects, Flag, List, Read, Write
from refute.scan.core.symbols import DERIVED, HOME, NAME, OUTPUT, SECRET, UNKNOWN
from refute.scan.python.state import Call
from refute.scan.python.values import UNK, FileValue, PathText, as_text, is_text

_ARCHIVE: Final = "archive"
"""Mode of a file that is an archive: what is written into it is read from elsewhere."""
_SETUID: Final = 0o6000
_ALL: Final = frozenset({"*", "**", "**/*", ".*", "*.*"})


def opened(call: Call, value: Any) -> Effects:
    """Opening a file in a mode; returns the open file."""
    path, mode = as_text(value), call.argument(1, "mode")
    if isinstance(value, int):
        return UNK
    mode, content = mode if isinstance(mode, str) else "r", OUTPUT
    writes = bool(set(mode) & set("wax"))
    if writes or "+" in mode:
        yield Write(path)
    if "r" in mode or "+" in mode or not writes:
        content = yield Read(path)
        if DERIVED in path:
            yield Flag("read-host-file", detail="The path is hidden.")
    return FileValue(path, mode, OUTPUT if content == UNKNOWN else content)


def mode_changed(call: Call, value: Any) -> Effects:
    """Rights or an owner that a path is given."""
    mode = call.argument(1, "mode")
    if isinstance(mode, int) and mode & _SETUID and "chmod" in call.name:
        yield Flag("setuid")
    if is_text(value):
        yield ChangeMode(as_text(value))


def _walk(call: Call) -> Effects:
    yield List(call.text(0, "top"))
    return [(f"{call.text(0)}/{NAME}", [NAME], [NAME])]


def _glob(call: Call) -> Effects:
    path = call.argument(0, "pathname")
    method = call.name.startswith("Path.")
    given = as_text(call.argument(1)) if call.arguments[1:] else "*"
    pattern = f"{path.rstrip('/')}/{given}" if method else as_text(path)
    directory, slash, _ = re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")
    whole = pattern.startswith(("/", "~", HOME)) and pattern[len(directory) :].strip("/") in _ALL
    if whole:
        yield List(directory or "/")
    elif not method:
        yield Read(pattern)
    found = f"{directory or slash}/{NAME}" if slash else NAME
    return [PathText(found) if method else found]


def _archive(call: Call) -> Effects:
    mode = call.argument(1, "mode")
    writes = isinstance(mode, str) and mode[:1] in {"w", "x", "a"}
    yield Write(call.text(0, "name")) if writes else Read(call.text(0, "name"))
    return FileValue(call.text(0), _ARCHIVE)


def _read_file(call: Call) -> Effects:
    yield from ()
    return call.arguments[0].content


def _write(call: Call) -> Effects:
    """Writing a text into a path or an open file."""
    target, text = call.argument(0), call.text(1, "data")
    if isinstance(target, FileValue) and target.mode == _ARCHIVE:
        yield Read(text)
        yield List(text)
    else:
        yield Write(as_text(target), text, appends=isinstance(target, FileValue))
        if SECRET in text:
            yield Flag("environment-dump", mild=True)
    return UNK


def _print(call: Call) -> Effects:
    """`print(…, file=…)` into a file."""
    target = call.keywords.get("file")
    if isinstance(target, FileValue):
        yield from _write(Call(call.walker, call.name, [target, *call.arguments], {}, call.node))
    return UNK


def _chdir(call: Call) -> Effects:
    yield from ()
    call.walker.cwd = paths.locate(call.text(0, "path"), call.walker.cwd).text
    return UNK


HANDLERS: Final = {
    "walk": _walk,
    "glob": _glob,
    "archive": _archive,
    "read_file": _read_file,
    "write": _write,
    "print": _print,
    "chdir": _chdir,
}
