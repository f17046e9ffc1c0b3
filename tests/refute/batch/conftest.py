"""Tickets and outcomes for batches."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from refute.outcome import Outcome, Status
from tests.fakes.outcomes import fake_outcome
from tests.fakes.tickets import write_ticket


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a ticket into a directory of its own below `tmp_path`; returns the directory."""

    def ticket(name: str, *, ticket_id: str | None = None, labels: Sequence[str] = ()) -> Path:
        return write_ticket(tmp_path / name, id=ticket_id or name, labels=list(labels))

    return ticket


@pytest.fixture
def outcome() -> Callable[..., Outcome]:
    """An outcome that differs in what is given."""

    def make(ticket_id: str = "T-1", *, status: Status = Status.PASS_WEAK, run_id: str = "b") -> Outcome:
        return fake_outcome(ticket_id, status=status, run_id=run_id, started_at=datetime(2026, 11, 20, tzinfo=UTC))

    return make
