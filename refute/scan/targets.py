"""From what a person names on the command line to the files that are scanned."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from refute.errors import TicketNotFound
from refute.scan import decode
from refute.scan.finding import Finding, ScanResult, Severity
from refute.scan.rules import Language
from refute.scan.scanner import scan_text

_SKIPPED: Final = frozenset(
    {".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", "venv", ".tox", ".mypy_cache", ".ruff_cache"}
)
_MAX_BYTES: Final = 16 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One text to scan."""

    path: str
    """As shown in findings."""
    data: bytes
    language: Language | None
    """None: by name and first line."""
    home: Path
    """Where the path that a person named lies: the directory itself, else that of the file."""


def collect(paths: list[Path], stdin: bytes | None, language: Language | None) -> tuple[Target, ...]:
    """The files under the given paths; below a directory only shell and Python files count.

    Args:
        paths: files and directories; `-` stands for standard input.
        stdin: its content, where asked for.
        language: forced for files named one by one and for standard input.

    Raises:
        TicketNotFound: a path does not exist or cannot be read.
    """
    found: list[Target] = []
    for path in paths:
        if str(path) == "-":
            found.append(
                Target(path="<stdin>", data=stdin or b"", language=language or _guess(stdin or b""), home=Path.cwd())
            )
        elif path.is_dir():
            found.extend(_below(path))
        else:
            found.append(Target(path=path.as_posix(), data=_read(path), language=language, home=path.resolve().parent))
    return tuple(found)


def scan_targets(
    targets: tuple[Target, ...], *, block_from: Severity = Severity.HIGH, tables: Path | None = None
) -> ScanResult:
    """Scan each target by itself; `tables`: rows of an operator's own."""
    findings: list[Finding] = []
    for target in targets:
        findings.extend(scan_text(target.path, target.data, language=target.language, tables=tables))
    return ScanResult(findings=tuple(findings), scanned=tuple(target.path for target in targets), block_from=block_from)


def _guess(data: bytes) -> Language:
    claimed = decode.languages_of("", data)
    return claimed[0] if claimed else Language.SHELL


def _below(directory: Path) -> list[Target]:
    found: list[Target] = []
    for root, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if name not in _SKIPPED)
        for name in sorted(names):
            path = Path(root) / name
            if path.is_symlink() or not path.is_file():
                continue
            with path.open("rb") as file:
                head = file.read(512)
            if decode.languages_of(name, head):
                found.append(Target(path=path.as_posix(), data=_read(path), language=None, home=directory.resolve()))
    return found


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise TicketNotFound(
            f"{path}: {error.strerror or error}", hint="Name a file or directory to scan, or `-`."
        ) from error
