"""Tickets and outcomes for batches."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from refute.outcome import Outcome, Status
from tests.fakes.outcomes import fake_outcome

YAML = """id: {id}
title: A title
workspace: .
implementation_files: [a.py]
verification_script: verify.sh
claims: ["f(1) returns 1."]
labels: [{labels}]
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a ticket into a directory of its own below `tmp_path`; returns the directory."""

    def ticket(name: str, *, ticket_id: str | None = None, labels: str = "") -> Path:
        directory = tmp_path / name
        directory.mkdir(parents=True)
        (directory / "a.py").write_text("def f(x):\n    return x\n")
        (directory / "verify.sh").write_text("true\n")
        (directory / "ticket.yaml").write_text(YAML.format(id=ticket_id or name, labels=labels))
        return directory

    return ticket


@pytest.fixture
def outcome() -> Callable[..., Outcome]:
    """An outcome that differs in what is given."""

    def make(ticket_id: str = "T-1", *, status: Status = Status.PASS_WEAK, run_id: str = "b") -> Outcome:
        return fake_outcome(ticket_id, status=status, run_id=run_id, started_at=datetime(2026, 11, 20, tzinfo=UTC))

    return make
