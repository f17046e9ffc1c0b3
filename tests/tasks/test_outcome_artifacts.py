"""The record in the artifacts of a real Prefect server: read back, it gives the ledger's own frames."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from flows.cli import refute
from flows.orchestrator.server import server_lease
from refute.ledger.store import Ledger
from refute.outcome import Outcome, StageRecord, Status
from refute.settings import Settings
from refute.ticket.record import TicketId
from reports import artifacts
from reports.frames import differences, frames_from_ledger, frames_from_outcomes
from tasks.outcome import show_outcome
from tests.fakes.outcomes import CLAIM, fake_outcome

pytestmark = pytest.mark.prefect


def outcomes() -> list[Outcome]:
    first = fake_outcome(
        "TCK-1",
        title="Ünïcode \x1b[2J\udc80",
        status=Status.PASS_WEAK,
        started_at=datetime(2026, 3, 1, 2, 30, 0, 5, tzinfo=UTC),
        duration_s=1.25,
        claims=(CLAIM,),
        stages=(StageRecord(name="attack", summary="", duration_s=1.0, sandbox_s=0.9),),
        cost_usd=Decimal("0.000000123"),
        labels=("a",),
    )
    return [first, replace(first, run_id="run-2"), replace(first, run_id="run-3", ticket_id=TicketId("TCK-2"))]


def test_frames_of_the_artifacts_equal_those_of_the_ledger_and_reconcile_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFUTE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("REFUTE_SERVER_IDLE_S", "5")
    monkeypatch.setattr(artifacts, "READ_AT_ONCE", 2)
    settings = Settings.load()
    ledger = Ledger.open(settings)
    with server_lease(settings, say=print) as api_url:
        from prefect.settings import PREFECT_API_URL, temporary_settings

        with temporary_settings({PREFECT_API_URL: api_url}):
            for outcome in outcomes():
                ledger.record(outcome)
                show_outcome(settings, outcome)
        read = frames_from_outcomes(artifacts.stored_records(api_url).outcomes)
        assert list(differences(read, frames_from_ledger(ledger))) == []
        agreed = CliRunner().invoke(refute, ["report", "--reconcile"], standalone_mode=False)
        ledger.record(replace(outcomes()[0], run_id="run-4"))
        differing = CliRunner().invoke(refute, ["report", "--reconcile"], standalone_mode=False)
    assert agreed.return_value == 0
    assert agreed.output == "3 outcomes in both, 0 of them different\nledger and artifacts agree\n"
    assert differing.return_value == 1
    assert "only in the ledger: 1\n  TCK-1, run run-4, attempt 1" in differing.output
