"""Commands that copy, move, delete and pack files, and those that only name places."""

import re
from typing import Final

from refute.scan.core import paths
from refute.scan.core.effects import Delete, Effects, Flag, List, Read, Write
from refute.scan.core.symbols import HERE, HOME, HOST_DATA, NAME, SECRET, TEMP, UNKNOWN, is_open
from refute.scan.core.tables import Command
from refute.scan.shell.checkers import always_agrees, is_checker
from refute.scan.shell.options import split_options
from refute.scan.shell.rows import found_in, split
from refute.scan.shell.state import Call

_PROGRAM: Final = re.compile(r"/(?:usr/)?(?:local/)?s?bin/[^/]+\Z")
_SYMBOLS: Final = frozenset({SECRET, HOST_DATA, UNKNOWN})


def _copy(call: Call, row: Command) -> Effects:
    """`cp`, `mv`, `install` and `ln`: what the sources hold is then in the target as well."""
    options, operands = split(call, row)
    target = (options.get("t") or options.get("target-directory") or [""])[0]
    sources = operands if target else operands[:-1]
    target = target or (operands[-1] if len(operands) > 1 else "")
    yield from found_in(call, row, call.text)
    if call.argv[0] in {"ln", "link"} and sources and is_checker(target) and always_agrees(sources[0]):
        yield Flag("test-tampering", detail="Tests seem to pass without being run.")
    text = ""
    for path in sources:
        if call.argv[0] == "mv":
            yield Delete(path)
        elif options.keys() & {"r", "R", "a", "recursive", "archive"}:
            yield List(path)
        text = yield Read(path)
        if _PROGRAM.match(path):
            # A program under another name is that program.
            text = f'{path} "$@"'
    if target:
        into = re.search(r"/bin/?\Z", target) and len(sources) == 1
        kept = None if text in _SYMBOLS else text
        yield Write(f"{target}/{sources[0].rpartition('/')[2]}" if into else target, kept)
    return ""


def _tar(call: Call, row: Command) -> Effects:
    words = call.argv[1:]
    if words and not words[0].startswith("-"):
        words = ["-" + words[0], *words[1:]]
    options, operands = split_options(words, row.valued, mixed=True)
    yield from found_in(call, row, call.text)
    archive = (options.get("f") or options.get("file") or [""])[0]
    directory = (options.get("C") or options.get("directory") or ["."])[0]
    sent = call.stdin
    if options.keys() & {"c", "r", "u", "create"}:
        for path in operands:
            joined = path if path.startswith(("/", "~", HERE, HOME)) else f"{directory}/{path}"
            sent += yield Read(joined)
            yield List(joined)
        if archive and archive != "-":
            yield Write(archive)
    elif options.keys() & {"x", "extract"}:
        yield Write(directory)
    return sent or UNKNOWN


def _path(call: Call, _row: Command) -> Effects:
    """`dirname`, `basename`, `realpath`, `mktemp`: what they make of a path."""
    yield from ()
    words = [word for word in call.argv[1:] if not word.startswith("-")]
    path = words[0] if words else ""
    head, slash, tail = path.rstrip("/").rpartition("/")
    match call.argv[0]:
        case "pwd":
            return call.scope.cwd + "\n"
        case "basename":
            return tail if tail and not is_open(tail) and tail.isascii() else NAME
        case "realpath" | "readlink":
            return paths.normalise(words[-1], call.scope.cwd) if words else UNKNOWN
        case "mktemp" | "tempfile":
            template = next((word for word in words if "XXX" in word), "")
            return paths.normalise(template, call.scope.cwd) if template.startswith("/") else f"{TEMP}/mktemp"
    if path in {HERE, TEMP} or not path:
        return path or "."
    return (head or "/") if slash else UNKNOWN if is_open(path) else "."


HANDLERS: Final = {"copy": _copy, "tar": _tar, "path": _path}
