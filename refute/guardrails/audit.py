"""The audit log: one JSON object per line for every gate's decision, each chained to the line before by its hash.

An edited, reordered or removed line breaks the chain. Cutting lines off the end does not: that shows only against a
head kept elsewhere. Lines are written before what they allow happens, and survive a killed process; they are not
forced to disk, so a power failure may take the last ones, together with the run that they belong to.
"""

import errno
import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from refute.errors import AuditUnavailable
from refute.guardrails.audit_chain import GENESIS, ChainHead, Scalar, fence_of, head_of, read_line, safe, seal
from refute.guardrails.secret_mask import MASK, names_secret
from refute.uninterrupted import uninterrupted

LOCK_TIMEOUT_S: Final = 30.0
LOCK_POLL_S: Final = 0.002
MAX_METADATA: Final = 40
FIRST_LOOK_BYTES: Final = 16_384
TAIL_BYTES: Final = 2_000_000
"""Where the last intact line must begin: a line with every field at its bound has half a million bytes."""

Metadata = Mapping[str, Scalar]


class Gate(StrEnum):
    """Where a decision was taken; docs/guardrails.md tells what those of words and tools promise."""

    AUDIT = "audit"
    """The log itself: a line that a crash tore was fenced off."""
    SCAN = "scan"
    SCAN_OVERRIDE = "scan_override"
    NETWORK_OVERRIDE = "network_override"
    ROUTE_PARSE = "route_parse"
    CONFIRMATION = "confirmation"
    PRE_TOOL = "pre_tool"
    POST_TOOL = "post_tool"
    URL = "url"
    """Whether a URL may be fetched; also each one that it redirects to."""
    RESEARCH_PLAN = "research_plan"
    RESEARCH_FETCH = "research_fetch"
    RESEARCH_READ = "research_read"
    RESEARCH_OUTPUT = "research_output"
    VERIFICATION = "verification"
    SCREEN = "screen"
    ATTACK = "attack"
    REVIEW = "review"
    """What critics say of a change, and what a person says of that."""
    VERDICT = "verdict"
    RETENTION = "retention"
    """Whether the model's provider keeps nothing, as far as that can be asked."""
    MODEL_CALL = "model_call"
    """Before a request to a model is sent."""
    MODEL_REPLY = "model_reply"
    """What came of it: tokens, cost and latency; `deny` where it brought no answer."""
    BUDGET = "budget"


class Decision(StrEnum):
    """What a gate decided."""

    ALLOW = "allow"
    DENY = "deny"
    CHALLENGE = "challenge"
    """A person was asked."""


@dataclass(frozen=True, slots=True)
class AuditLog:
    """Appends decisions to one log; any number of processes and threads may write the same one."""

    path: Path
    enabled: bool = True
    """False: `record` does nothing."""
    required: bool = True
    """False: a decision that cannot be written is taken all the same."""
    turn_id: str = ""
    """Of lines that name no turn: those of the models of one exchange."""

    def record(
        self,
        gate: Gate,
        decision: Decision,
        *,
        run_id: str,
        reason: str,
        metadata: Metadata | None = None,
        turn_id: str = "",
    ) -> ChainHead | None:
        """Write one decision; call it before acting on an ALLOW.

        Args:
            gate: where it was taken.
            decision: what it was.
            run_id: the run that it belongs to.
            reason: why, in words; cut and with recognisable secrets masked, as `metadata` is.
            metadata: facts that the decision rests on: digests, counts, rule ids.
            turn_id: the turn of a conversation, where there is one.

        Returns:
            The chain's new head; None where the log is switched off.

        Raises:
            AuditUnavailable: it could not be written; what it would have allowed must not happen.
        """
        if not self.enabled:
            return None
        turn_id = turn_id or self.turn_id
        body = _body(gate, decision, run_id=run_id, turn_id=turn_id, reason=reason, metadata=metadata or {})
        try:
            return self._append(body)
        except AuditUnavailable:
            if self.required:
                raise
            return None

    def _append(self, body: dict[str, Any]) -> ChainHead:
        with self._locked() as log:
            end = _end_of(log, self.path)
            lines, head = b"\n" if end.open else b"", end.head
            if end.torn:
                fence = _body(
                    Gate.AUDIT,
                    Decision.DENY,
                    run_id=body["run_id"],
                    turn_id=body["turn_id"],
                    reason="bytes that a crash left before this line are no record",
                    metadata=fence_of(end.torn),
                )
                line, head = seal(fence, head)
                lines += line
            line, head = seal(body, head)
            _write(log, lines + line)
        return head

    def require_writable(self) -> None:
        """Find out before any decision is taken that none could be written; writes nothing.

        Raises:
            AuditUnavailable: its end is not as it was written, or there is no room or right to go on from it.
        """
        if not self.enabled or not self.required:
            return
        with self._locked() as log:
            _end_of(log, self.path)
            room = os.fstatvfs(log)
            if room.f_blocks and not room.f_bfree:  # a file system that knows no size counts neither
                raise self._unavailable(os.strerror(errno.ENOSPC))

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """The open log, held against all other writers."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(f"{self.path}.lock", timeout=LOCK_TIMEOUT_S, poll_interval=LOCK_POLL_S)
            with uninterrupted(), lock:
                # A link planted in the working directory must not make us write elsewhere.
                log = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
                try:
                    if not stat.S_ISREG(os.fstat(log).st_mode):
                        raise self._unavailable("it is not a regular file")
                    yield log
                finally:
                    os.close(log)
        except Timeout as error:
            raise self._unavailable(f"its lock was not free within {LOCK_TIMEOUT_S:g} s") from error
        except OSError as error:
            raise self._unavailable(error.strerror or str(error)) from error

    def _unavailable(self, problem: str) -> AuditUnavailable:
        return AuditUnavailable(
            f"audit log {self.path}: cannot be written: {problem}; nothing runs without its record",
            hint="Make the file writable, or set GUARDRAIL_AUDIT_PATH to another one.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """How a log ends."""

    head: ChainHead
    """Of its last intact line."""
    torn: bytes
    """The lines that a crash left after that one, each with the newline that ends it or will."""
    open: bool
    """Whether the last line lacks its newline."""


def _end_of(log: int, path: Path) -> _End:
    size = os.fstat(log).st_size
    for window_bytes in (FIRST_LOOK_BYTES, TAIL_BYTES):
        start = max(0, size - window_bytes)
        try:
            end = _end_in(os.pread(log, size - start, start))
        except ValueError as error:
            raise _broken(path, f"its last line was {error}; a chain cannot go on from it") from error
        if not start or end.head != GENESIS:
            return end
    raise _broken(path, f"got no record in its last {TAIL_BYTES} bytes, expected one")


def _end_in(window: bytes) -> _End:
    """How a log ends, by its last bytes; with the genesis as head where they hold no intact line."""
    lines = window.split(b"\n")
    is_open = lines[-1] != b""
    torn: list[bytes] = []
    for line in reversed(lines if is_open else lines[:-1]):
        try:
            return _End(head=head_of(read_line(line)), torn=b"".join(torn), open=is_open)
        except (UnicodeDecodeError, json.JSONDecodeError):
            torn.insert(0, line + b"\n")
    return _End(head=GENESIS, torn=b"".join(torn), open=is_open)


def _broken(path: Path, problem: str) -> AuditUnavailable:
    return AuditUnavailable(
        f"audit log {path}: {problem}",
        hint="Keep the file as evidence under another name; the next run starts a new one.",
    )


def _write(log: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(log, view) :]


def _body(
    gate: Gate, decision: Decision, *, run_id: str, turn_id: str, reason: str, metadata: Metadata
) -> dict[str, Any]:
    kept = list(metadata.items())[:MAX_METADATA]
    return {
        "timestamp": datetime.now(UTC).isoformat(),
        "run_id": safe(run_id),
        "turn_id": safe(turn_id),
        "gate": gate.value,
        "decision": decision.value,
        "reason": safe(reason),
        "metadata": {str(safe(name)): MASK if names_secret(name) else safe(value) for name, value in kept},
    }
