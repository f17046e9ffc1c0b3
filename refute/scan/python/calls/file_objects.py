"""Methods of paths and of open files."""

import re
from typing import Any, Final

from refute.scan import paths
from refute.scan.finding import Severity
from refute.scan.python.call import PythonCall
from refute.scan.python.calls.files import ARCHIVE, SETUID, opened, text_argument
from refute.scan.python.values import UNK, FileValue, PathValue, as_text
from refute.scan.symbols import HOME, HOST_DATA, NAME, OUTPUT, SECRET


def _path_open(call: PythonCall, path: PathValue) -> Any:
    mode = call.argument(0, "mode")
    return opened(call, path.text, mode if isinstance(mode, str) else "r")


def _path_read(call: PythonCall, path: PathValue) -> Any:
    return call.act.read(path.text) or call.walker.written.get(paths.locate(path.text).text, OUTPUT)


def _path_write(call: PythonCall, path: PathValue) -> Any:
    call.act.write(path.text)
    call.walker.written[paths.locate(path.text).text] = as_text(call.argument(0, "data"))
    return UNK


def _path_create(call: PythonCall, path: PathValue) -> Any:
    call.act.write(path.text)
    return UNK


def _path_delete(call: PythonCall, path: PathValue) -> Any:
    call.act.delete(path.text, recursive=False)
    return UNK


def _path_rename(call: PythonCall, path: PathValue) -> Any:
    call.act.delete(path.text, recursive=False)
    call.act.write(text_argument(call, 0, "target"))
    return PathValue(text_argument(call, 0, "target"))


def _path_list(call: PythonCall, path: PathValue) -> Any:
    pattern = call.argument(0)
    if pattern is UNK or pattern in {"*", "**", "**/*", "*.*"}:
        call.act.list(path.text)
    return [PathValue(f"{path.text.rstrip('/')}/{NAME}")]


def _path_chmod(call: PythonCall, path: PathValue) -> Any:
    mode = call.argument(0, "mode")
    if isinstance(mode, int) and mode & SETUID:
        call.act.add("setuid")
    call.act.change_mode(path.text)
    return UNK


def _path_same(_call: PythonCall, path: PathValue) -> Any:
    return path


PATH_METHODS: Final = {
    "open": _path_open,
    **dict.fromkeys(("read_text", "read_bytes", "read"), _path_read),
    **dict.fromkeys(("write_text", "write_bytes", "write"), _path_write),
    **dict.fromkeys(("touch", "mkdir", "symlink_to", "hardlink_to", "ensure"), _path_create),
    **dict.fromkeys(("unlink", "rmdir", "remove"), _path_delete),
    **dict.fromkeys(("rename", "replace"), _path_rename),
    **dict.fromkeys(("iterdir", "glob", "rglob", "walk", "listdir"), _path_list),
    "chmod": _path_chmod,
    **dict.fromkeys(("resolve", "absolute"), lambda _call, path: PathValue(paths.normalise(path.text))),
    "expanduser": lambda _call, path: PathValue(re.sub(r"^~(?=/|\Z)", HOME, path.text)),
    **dict.fromkeys(
        ("joinpath", "join"), lambda call, path: PathValue("/".join([path.text, *map(as_text, call.arguments)]))
    ),
    **dict.fromkeys(("with_suffix", "with_name", "with_stem", "relative_to"), _path_same),
    **dict.fromkeys(("as_posix", "__str__", "__fspath__"), lambda _call, path: path.text),
}


def _file_read(call: PythonCall, file: FileValue) -> Any:
    if file.path in {SECRET, HOST_DATA}:
        return file.path
    return call.walker.written.get(paths.locate(file.path).text, OUTPUT) if file.path else OUTPUT


def _file_write(call: PythonCall, file: FileValue) -> Any:
    if file.mode == ARCHIVE:
        return _file_add(call, file)
    located = paths.locate(file.path).text
    call.walker.written[located] = (call.walker.written.get(located, "") + as_text(call.argument(0)))[:100_000]
    if SECRET in as_text(call.argument(0)):
        call.act.add("environment-dump", severity=Severity.MEDIUM)
    return UNK


def _file_add(call: PythonCall, _file: FileValue) -> Any:
    call.act.read(text_argument(call, 0))
    call.act.list(text_argument(call, 0))
    return UNK


def _file_extract(call: PythonCall, _file: FileValue) -> Any:
    target = call.argument(0, "path")
    if isinstance(target, str | PathValue):
        call.act.write(as_text(target))
    return UNK


FILE_METHODS: Final = {
    **dict.fromkeys(("read", "readline", "readlines", "__iter__"), _file_read),
    **dict.fromkeys(("write", "writelines", "writestr"), _file_write),
    "add": _file_add,
    **dict.fromkeys(("extractall", "extract"), _file_extract),
    "__enter__": lambda _call, file: file,
}
