"""The cost table: one CSV line per ticket run, appended exactly once, and at any time made anew from the ledger.

The ledger keeps how far each line has come. A process killed between the steps leaves lines in state WRITING; the next
one looks into the file for those, repairs a torn last line, and appends what is missing.
"""

import csv
import hashlib
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from refute.errors import CostsCsvUnavailable
from refute.guardrails.plain_text import printable
from refute.ledger.schema import CsvState
from refute.ledger.store import CostRow, Ledger
from refute.uninterrupted import uninterrupted

CSV_VERSION: Final = 1
"""Of the columns below. Other columns make another version, and no file ever mixes two."""

COLUMNS: Final = {
    "timestamp": "when the run started, ISO 8601 in UTC",
    "run_id": "the run",
    "ticket_id": "the ticket",
    "status": "how the ticket ended",
    "tester": "who wrote the attack",
    "model": "the models that were called, `; ` between them; empty where none was called",
    "input_tokens": "tokens sent to models, cached ones included; empty where no model was called",
    "output_tokens": "tokens received from models, thinking included; empty where no model was called",
    "cost_usd": "US dollars, exact decimal; empty where unknown",
    "duration_s": "seconds from the run's start to its verdict",
    "claims_total": "claims of the ticket that were judged",
    "claims_refuted": "claims that were refuted",
    "strength": "lower end of the mutation score's interval, 0 to 1; empty where it was not measured",
}
"""Column → meaning."""

LOCK_TIMEOUT_S: Final = 60.0
FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets compute a cell that starts so (OWASP ASVS 5.0, requirement 1.2.10, read 2026-11)."""


def append_missing(ledger: Ledger, path: Path) -> int:
    """Append the lines of all outcomes of runs with this file whose line is not in it yet.

    Args:
        ledger: where the outcomes are.
        path: the cost table; made with its directory where it is missing.

    Returns:
        How many lines were appended.

    Raises:
        CostsCsvUnavailable: the file cannot be written; the ledger keeps what is missing.
        LedgerUnavailable: the ledger failed.
    """
    with _held(ledger, path):
        due = list(ledger.cost_rows({CsvState.PENDING, CsvState.WRITING}, table=path))
        if not due:
            return 0
        path.parent.mkdir(parents=True, exist_ok=True)
        in_doubt = {_line(row) for row in due if row.csv_state is CsvState.WRITING}
        _repair(path, in_doubt)
        there = _found(path, in_doubt)
        missing = [line for line in map(_line, due) if line not in there]
        ids = [row.id for row in due]
        ledger.mark_csv(ids, CsvState.WRITING)
        _append(path, missing)
        ledger.mark_csv(ids, CsvState.WRITTEN)
        return len(missing)


def rebuild_csv(ledger: Ledger, path: Path) -> int:
    """Write the whole file anew from the ledger, in place of what is there, with the lines that other files have.

    Args:
        ledger: where the outcomes are.
        path: the cost table.

    Returns:
        How many lines it holds.

    Raises:
        CostsCsvUnavailable: the file cannot be written; what was there stays.
        LedgerUnavailable: the ledger failed.
    """
    with _held(ledger, path):
        due = [row.id for row in ledger.cost_rows({CsvState.PENDING, CsvState.WRITING}, table=path)]
        ledger.mark_csv(due, CsvState.WRITING)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        count = 0
        try:
            with partial.open("w", encoding="utf-8", newline="") as file:
                file.write(_header())
                for row in ledger.cost_rows({CsvState.WRITING, CsvState.WRITTEN}):
                    file.write(_line(row))
                    count += 1
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        ledger.mark_csv(due, CsvState.WRITTEN)
        return count


def _line(row: CostRow) -> str:
    """The row's line; the same at any time and on any machine, so that it can be recognised."""
    return _csv_line(
        [
            row.started_at.isoformat(),
            row.run_id,
            row.ticket_id,
            row.status,
            row.tester,
            row.models or "",
            _number(row.input_tokens),
            _number(row.output_tokens),
            "" if row.cost_usd is None else f"{row.cost_usd:f}",
            f"{row.duration_s:.3f}",
            str(row.claims_total),
            str(row.claims_refuted),
            "" if row.strength is None else f"{row.strength:.4f}",
        ]
    )


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _header() -> str:
    return _csv_line(COLUMNS)


def _csv_line(cells: Iterable[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow([_cell(cell) for cell in cells])
    return buffer.getvalue()


def _cell(text: str) -> str:
    """Text on one line that no spreadsheet computes."""
    plain = printable(text, keep_newlines=False)
    return f"'{plain}" if plain.startswith(FORMULA_STARTS) else plain


def _repair(path: Path, in_doubt: set[str]) -> None:
    """End a last line without a newline: take away what a killed writer left of its line, keep anything else.

    Raises:
        CostsCsvUnavailable: the file has other columns.
    """
    if not path.exists():
        return
    with path.open("r+b") as file:
        _check_header(path, file.readline())
        size = file.seek(0, os.SEEK_END)
        last = _last_line(file.fileno(), size)
        if last.endswith(b"\n") or not last:
            return
        own = {line.encode() for line in in_doubt | {_header()}}
        if last + b"\n" not in own and any(line.startswith(last) for line in own):
            file.truncate(size - len(last))
        else:
            file.write(b"\n")


def _check_header(path: Path, first: bytes) -> None:
    """A torn header is repaired later; one that a spreadsheet program saved with its own line ends is fine."""
    header = first.decode("utf-8-sig", "replace").rstrip("\r\n")
    if first.endswith(b"\n") and header != _header().rstrip("\n"):
        raise CostsCsvUnavailable(
            f"cost table {path}: got the columns {header[:200]!r}, expected those of version {CSV_VERSION}",
            hint="Move the file away; nothing is lost, the ledger holds every row.",
        )


def _last_line(file: int, size: int) -> bytes:
    """The last line, with its newline where it has one."""
    window = os.pread(file, 65_536, max(0, size - 65_536))
    return window[window.rfind(b"\n", 0, len(window) - 1) + 1 :]


def _found(path: Path, wanted: set[str]) -> set[str]:
    """Which of these lines the file holds. Not read where none is in doubt, which is the rule."""
    if not wanted or not path.exists():
        return set()
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        return {line for line in file if line in wanted}


def _append(path: Path, lines: list[str]) -> None:
    if not lines:
        return
    with path.open("a", encoding="utf-8", newline="") as file:
        if file.tell() == 0:
            file.write(_header())
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _held(ledger: Ledger, path: Path) -> Iterator[None]:
    """The file, held against other processes; the lock lies beside the ledger, not among the reports."""
    name = hashlib.sha256(str(path.absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    try:
        lock = FileLock(ledger.locks / f"costs-{name}.lock", timeout=LOCK_TIMEOUT_S, poll_interval=0.005)
        with uninterrupted(), lock:
            yield
    except Timeout as error:
        raise _unavailable(path, f"its lock was not free within {LOCK_TIMEOUT_S:g} s") from error
    except OSError as error:
        raise _unavailable(path, f"cannot be written: {error.strerror or error}") from error


def _unavailable(path: Path, problem: str) -> CostsCsvUnavailable:
    return CostsCsvUnavailable(
        f"cost table {path}: {problem}",
        hint="Make it writable; the ledger holds the rows, the next run that uses it appends them.",
    )
