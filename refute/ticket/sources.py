"""Where tickets stand: a directory, a file, the lines of a file, or all directories below one."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from refute.errors import TicketInvalid, TicketNotFound, UsageError
from refute.guardrails.plain_text import encodable
from refute.ticket.document import MAX_DOCUMENT_BYTES, Document, DocumentError, parse_json, parse_yaml

TICKET_NAMES: Final = ("ticket.yaml", "ticket.yml", "ticket.json")
_YAML_SUFFIXES: Final = frozenset({".yaml", ".yml"})
_LINES_SUFFIXES: Final = frozenset({".jsonl", ".ndjson"})
_MAX_LINES_BYTES: Final = 64_000_000
_MAX_SEARCHED_DIRECTORIES: Final = 20_000
_NOT_SEARCHED: Final = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_HINT: Final = (
    "Point at a directory with ticket.yaml, or at a .yaml, .json or .jsonl file; `refute ticket new` makes one."
)


def documents(path: Path, *, below: bool) -> Iterator[tuple[str, Path, Document | DocumentError]]:
    """Every document of a source with its name for messages and the directory that its workspace is relative to.

    Args:
        path: a file or directory.
        below: whether a directory without a ticket file stands for all tickets below it.

    Raises:
        TicketNotFound: saying where it looked.
        TicketInvalid: the file is too large.
        UsageError: the format is unknown.
    """
    files = ticket_files(path, below=below)
    if path.is_dir():
        for file in files:
            yield _document(file)
    elif path.suffix.lower() in _LINES_SUFFIXES:
        yield from _lines(path)
    else:
        yield str(path), path.parent, _read(path)


def ticket_files(path: Path, *, below: bool) -> tuple[Path, ...]:
    """The files that a source stands for; none of them is read. Arguments and errors as of `documents`."""
    if path.is_dir():
        _must_be_named(path)
        return _files_under(path, below=below)
    if not path.is_file():
        what = "is no regular file" if path.exists() else "does not exist"
        raise TicketNotFound(f"{path}: {what} (looked in {Path.cwd()})", hint=_HINT)
    _must_be_named(path)
    if path.suffix.lower() not in _LINES_SUFFIXES | _YAML_SUFFIXES | {".json"}:
        raise UsageError(
            f"{path}: got a file ending {path.suffix!r}, expected .yaml, .yml, .json or .jsonl", hint=_HINT
        )
    return (path,)


def _must_be_named(path: Path) -> None:
    if not _is_utf8(path):
        raise UsageError(f"{path}: its path is not UTF-8, so no record of a run can name it", hint="Rename it.")


def _is_utf8(path: Path) -> bool:
    """Whether the path can be written as text. Paths are bytes; what is not UTF-8 comes as lone surrogates."""
    return encodable(str(path.resolve()))


def _document(file: Path) -> tuple[str, Path, Document | DocumentError]:
    """A ticket file that was found, or (a directory) the files between which nobody can choose."""
    if not _is_utf8(file):
        name = str(file).encode(errors="backslashreplace").decode()
        return name, file.parent, DocumentError("its path is not UTF-8, so no record of a run can name it: rename it")
    return (str(file), file, _ambiguous(file)) if file.is_dir() else (str(file), file.parent, _read(file))


def _files_under(directory: Path, *, below: bool) -> tuple[Path, ...]:
    """The ticket file of a directory, or (with `below`) those of all directories below it.

    A directory with two of them is named itself.
    """
    found: list[Path] = []
    for count, (parent, directories, names) in enumerate(os.walk(directory, onerror=_unreadable)):
        here = _ticket_files(Path(parent), names)
        if count > _MAX_SEARCHED_DIRECTORIES:
            raise UsageError(
                f"{directory}: got more than {_MAX_SEARCHED_DIRECTORIES:,} directories below it", hint=_HINT
            )
        found += here if len(here) < 2 else [Path(parent)]  # noqa: PLR2004  # two
        kept = (name for name in directories if not name.startswith(".") and name not in _NOT_SEARCHED)
        directories[:] = sorted(kept) if below and not here else []
    if not found:
        where = "in it or below it" if below else "in it"
        others = [name for name in TICKET_NAMES if os.path.lexists(directory / name)]
        found_instead = f"; {others[0]} is there, and is no regular file" if others else ""
        raise TicketNotFound(f"{directory}: no {', '.join(TICKET_NAMES)} {where}{found_instead}", hint=_HINT)
    return tuple(found)


def _ticket_files(directory: Path, names: Iterable[str]) -> list[Path]:
    there = set(names)
    return [directory / name for name in TICKET_NAMES if name in there and (directory / name).is_file()]


def _ambiguous(directory: Path) -> DocumentError:
    names = (file.name for file in _ticket_files(directory, TICKET_NAMES))
    return DocumentError(f"got {' and '.join(names)}, expected one of them")


def _unreadable(error: OSError) -> None:
    raise UsageError(f"{error.filename}: cannot be read: {error.strerror}") from error


def _read(file: Path) -> Document | DocumentError:
    try:
        data = _bytes(file, limit=MAX_DOCUMENT_BYTES + 1)
        return parse_json(data) if file.suffix.lower() == ".json" else parse_yaml(data)
    except DocumentError as error:
        return error


def _lines(file: Path) -> Iterator[tuple[str, Path, Document | DocumentError]]:
    data = _bytes(file, limit=_MAX_LINES_BYTES + 1)
    if len(data) > _MAX_LINES_BYTES:
        raise TicketInvalid(str(file), [f"got {file.stat().st_size:,} bytes, expected at most {_MAX_LINES_BYTES:,}"])
    filled = [(number, line) for number, line in enumerate(data.splitlines(), start=1) if line.strip()]
    if not filled or data == b"\xef\xbb\xbf":
        raise TicketNotFound(f"{file}: got no line with a ticket", hint=_HINT)
    for number, line in filled:
        try:
            document: Document | DocumentError = parse_json(line, first_line=number)
        except DocumentError as error:
            document = error
        yield f"{file}:{number}", file.parent, document


def _bytes(file: Path, *, limit: int) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(limit)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
