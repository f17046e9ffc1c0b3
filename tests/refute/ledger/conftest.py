"""Outcomes and ledgers to record them in."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from refute.ledger import database
from refute.ledger.database import _configure_sqlite, _make_current
from refute.ledger.store import Ledger
from refute.outcome import Outcome, StageRecord, Status
from refute.settings import Settings
from tests.fakes.outcomes import FAILURE, REFUTED, fake_outcome


@pytest.fixture
def migrated_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new ledger is no copy of a migrated one (tests/conftest.py) where the test is about its making."""
    monkeypatch.setattr(database, "_make_current", _make_current)
    monkeypatch.setattr(database, "_configure_sqlite", _configure_sqlite)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings whose state and cost table lie under `tmp_path`."""
    return Settings(state_dir=tmp_path / "state #1 ä%20?", costs_csv=tmp_path / "reports" / "costs.csv")


@pytest.fixture
def ledger(settings: Settings) -> Iterator[Ledger]:
    """An empty ledger."""
    opened = Ledger.open(settings)
    yield opened
    opened.close()


def make_outcome(
    run_id: str = "run-1", ticket_id: str = "T-1", attempt: int = 1, title: str = "A title", tester: str = "property"
) -> Outcome:
    """An outcome with a row in every table; a module's function, so that it can be sent to other processes."""
    return fake_outcome(
        ticket_id,
        run_id=run_id,
        attempt=attempt,
        title=title,
        status=Status.FAILED_ADVERSARIAL,
        reason="1 of 1 claim refuted: C1",
        started_at=datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC),
        duration_s=1.25,
        tester=tester,
        claims=(REFUTED,),
        failures=(FAILURE,),
        stages=(
            StageRecord(name="scan", summary="", duration_s=0.1),
            StageRecord(name="attack", summary="", duration_s=1.0, sandbox_s=0.9),
        ),
        cost_usd=Decimal("0.000000123"),
        labels=("a", "b"),
    )
