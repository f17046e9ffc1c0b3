"""The audit log's lines: how each is chained to the one before, and whether a whole log still hangs together."""

import hashlib
import json
import math
import socket
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from refute.errors import AuditUnavailable
from refute.guardrails.plain_text import printable
from refute.guardrails.secret_mask import mask_secrets

Scalar = str | int | float | bool | None
MAX_TEXT_CHARS: Final = 1_000
FENCED_BYTES: Final = "torn_bytes"
FENCED_SHA256: Final = "torn_sha256"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainHead:
    """The last line of a chain."""

    sequence: int
    """The number of lines so far; 0 before the first."""
    hash: str
    """SHA-256 of the last line without its own hash, in hexadecimal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditAnchor:
    """A head that is kept elsewhere, so that lines cut off a log's end show."""

    log: str
    """Which log, as `log_name` says it."""
    head: ChainHead


def log_name(path: Path) -> str:
    """What a log is called in a ledger that several machines share: `host:/path`."""
    return f"{socket.gethostname()}:{path.absolute()}"


GENESIS: Final = ChainHead(sequence=0, hash="0" * 64)
"""The head of an empty log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainBreak:
    """A line that does not follow from the one before it."""

    line: int
    """1-based."""
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainReport:
    """What reading a whole log showed. Lines cut off its end show only against a `head` kept elsewhere."""

    path: Path
    lines: int
    """Intact lines."""
    head: ChainHead
    breaks: tuple[ChainBreak, ...]
    fenced: int
    """Torn lines that a crash left and the next writer fenced off."""
    unfinished_bytes: int
    """Bytes of a last line without an end: a crash that no later write has fenced off yet, or a write under way."""
    found: frozenset[ChainHead] = frozenset()
    """Those of the heads asked for that the log holds."""

    @property
    def intact(self) -> bool:
        """Whether every line follows from the one before."""
        return not self.breaks


def seal(body: dict[str, Any], head: ChainHead) -> tuple[bytes, ChainHead]:
    """The line (with its newline) that appends `body` to a chain, and the head that it makes."""
    chained = body | {"sequence": head.sequence + 1, "previous": head.hash}
    digest = hashlib.sha256(_canonical(chained)).hexdigest()
    line = _spelled(chained | {"hash": digest}) + b"\n"
    return line, ChainHead(sequence=head.sequence + 1, hash=digest)


def read_line(line: bytes) -> dict[str, Any]:
    """The record of a line (without its newline), as it was sealed.

    Raises:
        UnicodeDecodeError, json.JSONDecodeError: it is no JSON, as after a crash.
        ValueError: it is JSON, but not as `seal` wrote it.
    """
    try:
        record = json.loads(line.decode("ascii"))
    except RecursionError as error:
        raise ValueError("no audit record") from error
    if not isinstance(record, dict) or not isinstance(record.get("sequence"), int):
        raise ValueError("no audit record")  # noqa: TRY004  one meaning for the caller: not as it was written
    body = {key: value for key, value in record.items() if key not in {"sequence", "previous", "hash"}}
    head = ChainHead(sequence=record["sequence"] - 1, hash=str(record.get("previous")))
    # Logs of the first versions are spelled as what is hashed.
    if seal(body, head)[0] != line + b"\n" and (_canonical(record) != line or head_of(record) != seal(body, head)[1]):
        raise ValueError("changed after it was written")
    return record


def head_of(record: dict[str, Any]) -> ChainHead:
    """The head that a sealed record makes."""
    return ChainHead(sequence=record["sequence"], hash=record["hash"])


def fence_of(torn: bytes) -> dict[str, str | int]:
    """What a record says about torn bytes before it, so that a reader can tell them from tampering."""
    return {FENCED_BYTES: len(torn), FENCED_SHA256: hashlib.sha256(torn).hexdigest()}


def verify_chain(path: Path, *, heads: Collection[ChainHead] = ()) -> ChainReport:
    """Read a whole log and check every link.

    Args:
        path: the log.
        heads: kept elsewhere; `found` says which of them are heads of this log.

    Raises:
        AuditUnavailable: the log cannot be read.
    """
    reader = _Reader(heads)
    unfinished = b""
    try:
        with path.open("rb") as log:
            for number, line in enumerate(log, start=1):
                if line.endswith(b"\n"):
                    reader.read(number, line)
                else:
                    unfinished = line
    except OSError as error:
        raise AuditUnavailable(
            f"audit log {path}: cannot be read: {error.strerror}",
            hint="Check the path (GUARDRAIL_AUDIT_PATH) and its rights.",
        ) from error
    return ChainReport(
        path=path,
        lines=reader.lines,
        head=reader.head,
        breaks=(*reader.breaks, *reader.unfenced()),
        fenced=reader.fenced,
        unfinished_bytes=len(unfinished),
        found=frozenset(reader.found),
    )


class _Reader:
    """Follows a chain line by line."""

    def __init__(self, wanted: Collection[ChainHead]) -> None:
        self._wanted = frozenset(wanted)
        self.found: set[ChainHead] = set()
        self.head = GENESIS
        self.lines = 0
        self.fenced = 0
        self.breaks: list[ChainBreak] = []
        self._torn: list[tuple[int, bytes]] = []

    def read(self, number: int, line: bytes) -> None:
        try:
            record = read_line(line[:-1])
        except (UnicodeDecodeError, json.JSONDecodeError):
            self._torn.append((number, line))
            return
        except ValueError as error:
            self.breaks.append(ChainBreak(line=number, problem=str(error)))
            self._skip(line)
            return
        if record["previous"] != self.head.hash or record["sequence"] != self.head.sequence + 1:
            problem = f"does not follow line {number - 1}: a line was changed, removed, added or moved"
            self.breaks.append(ChainBreak(line=number, problem=problem))
        self._close_fence(record)
        self.lines += 1
        self.head = head_of(record)
        if self.head in self._wanted:
            self.found.add(self.head)

    def unfenced(self) -> Iterator[ChainBreak]:
        """Torn lines that no later record accounts for; a trailing one may just not have been fenced yet."""
        for number, _ in self._torn:
            yield ChainBreak(line=number, problem="unreadable, and no later record accounts for it")

    def _close_fence(self, record: dict[str, Any]) -> None:
        if not self._torn:
            return
        torn = b"".join(line for _, line in self._torn)
        if fence_of(torn).items() <= dict(record.get("metadata") or {}).items():
            self.fenced += len(self._torn)
        else:
            self.breaks.extend(self.unfenced())
        self._torn.clear()

    def _skip(self, line: bytes) -> None:
        """Go on after a changed line from what it says of itself, so that one change is one break."""
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            return
        if isinstance(record, dict) and isinstance(record.get("sequence"), int):
            self.head = ChainHead(sequence=record["sequence"], hash=str(record.get("hash")))


def _spelled(record: dict[str, Any]) -> bytes:
    """As `json.dumps` writes it by default, so that `grep '"gate": "scan"'` finds it."""
    return json.dumps(record, allow_nan=False).encode("ascii")


def _canonical(record: dict[str, Any]) -> bytes:
    """What is hashed."""
    return json.dumps(record, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")


def safe(value: Scalar) -> Scalar:
    """A bounded JSON value without recognisable secrets."""
    if isinstance(value, str):
        # Masked before the cut, so that no half of a secret is left; a first, wider cut bounds the work.
        return printable(mask_secrets(value[: 4 * MAX_TEXT_CHARS]), max_chars=MAX_TEXT_CHARS)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
