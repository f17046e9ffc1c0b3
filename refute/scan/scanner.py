"""The safety scanner: one text, what a person names, or a script with everything of the workspace that it reaches."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from refute.errors import TicketNotFound, UsageError
from refute.scan import decode, reach
from refute.scan.core.report import unanalysable
from refute.scan.core.tables import knowledge
from refute.scan.engine.analysis import analyse_within_limits
from refute.scan.finding import Finding, ScanResult, Severity
from refute.scan.rules import Language

_MAX_FILES: Final = 2000


def scan_text(
    path: str, data: bytes, *, language: Language | None = None, tables: Path | None = None
) -> tuple[Finding, ...]:
    """Scan one file.

    Args:
        path: shown in findings; relative to the workspace where there is one.
        data: the file's bytes.
        language: what will interpret it; by name and first line where None.
        tables: rows of an operator's own; see `knowledge`.

    Returns:
        Findings, most severe first. Text that cannot be analysed gives a CRITICAL one; nothing is raised.
    """
    return analyse_within_limits(path, data, language, tables).result()


def scan_python(path: str, source: str, *, tables: Path | None = None) -> tuple[Finding, ...]:
    """Scan Python source, for instance a generated test file."""
    return scan_text(path, source.encode("utf-8", "surrogatepass"), language=Language.PYTHON, tables=tables)


def scan_files(
    files: Mapping[str, bytes],
    entry_points: Sequence[str],
    *,
    block_from: Severity = Severity.HIGH,
    tables: Path | None = None,
) -> ScanResult:
    """Scan the files that would run: the entry points and whatever of the workspace they reach.

    Args:
        files: every file of the workspace, POSIX path relative to it → bytes.
        entry_points: paths to start from, usually the verification script; interpreted as shell unless their
            name or first line says Python.
        block_from: the severity from which a finding keeps the text from running.
        tables: rows of an operator's own.

    Returns:
        Findings of all scanned files in the order in which they are reached. An entry point that is not among the
        files gives a CRITICAL finding.
    """
    findings: dict[Finding, None] = {}
    queue: list[reach.Text] = []
    for path in entry_points:
        if path in files:
            claimed = decode.languages_of(path, files[path])
            queue.append((path, files[path], None if claimed else Language.SHELL))
        else:
            findings[unanalysable(path, "The file is not part of the workspace.")] = None
    scanned: dict[str, None] = {}
    seen: set[reach.Text] = set()
    while queue:
        path, data, language = text = queue.pop(0)
        if text in seen or (language is None and path in scanned):
            continue
        seen.add(text)
        if len(scanned) >= _MAX_FILES:
            told = f"More than {_MAX_FILES} files are reached; this one and the rest were not read."
            findings[unanalysable(path, told)] = None
            break
        try:
            report = analyse_within_limits(path, data, language, tables, files)
            found, unread = reach.follow(path, report.reached, files)
            findings |= dict.fromkeys([*report.result(), *unread])
            scanned[path] = None
            queue += found
        except Exception as error:  # noqa: BLE001 - the scanner fails closed: a fault of its own blocks
            told = f"The scanner failed on it ({type(error).__name__}: {error}); please report this."
            findings[unanalysable(path, told)] = None
    return ScanResult(findings=tuple(findings), scanned=tuple(scanned), block_from=block_from)


def check_examples(tables: Path) -> None:
    """Hold an operator's rows to their own examples.

    Raises:
        UsageError: one does not hold; names the row and the example.
    """
    known, ours = knowledge(tables), knowledge()
    kinds = ((known.commands, ours.commands, Language.SHELL), (known.calls, ours.calls, Language.PYTHON))
    for rows, before, language in kinds:
        for name, row in rows.items():
            for text in (*row.refuses, *row.spares) if row != before.get(name) else ():
                found = scan_text("example", text.encode(), language=language, tables=tables)
                if any(one.severity >= Severity.HIGH for one in found) != (text in row.refuses):
                    expected = "to block, got nothing" if text in row.refuses else f"nothing, got {found[0].rule_id}"
                    raise UsageError(f"scan tables {tables}: row `{name}`: example {text!r}: expected {expected}")


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
            claimed = language or next(iter(decode.languages_of("", stdin or b"")), Language.SHELL)
            found.append(Target(path="<stdin>", data=stdin or b"", language=claimed, home=Path.cwd()))
        elif path.is_dir():
            found.extend(_below(path))
        else:
            found.append(Target(path=path.as_posix(), data=_read(path), language=language, home=path.resolve().parent))
    return tuple(found)


def scan_targets(
    targets: tuple[Target, ...], *, block_from: Severity = Severity.HIGH, tables: Path | None = None
) -> ScanResult:
    """Scan each target by itself; `tables`: rows of an operator's own."""
    scans = [scan_text(one.path, one.data, language=one.language, tables=tables) for one in targets]
    scanned = tuple(one.path for one in targets)
    return ScanResult(findings=tuple(chain.from_iterable(scans)), scanned=scanned, block_from=block_from)


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
