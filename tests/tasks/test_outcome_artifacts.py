"""The record in the artifacts of a real Prefect server: read back, it gives the ledger's own frames."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner

from flows.orchestrator.server import server_lease
from flows.program import refute
from refute.ledger.store import Ledger
from refute.outcome import Outcome, StageRecord, Status
from refute.settings import Settings
from refute.ticket.record import TicketId
from reports import artifacts
from reports.frames import frames_from_ledger, frames_from_outcomes
from reports.scope import Scope
from tasks.outcome import show_outcome
from tests.fakes.outcomes import CLAIM, fake_outcome
from tests.reports.conftest import assert_equal

pytestmark = pytest.mark.prefect


def outcomes(ticket_id: str) -> list[Outcome]:
    first = fake_outcome(
        ticket_id,
        title="Ünïcode \x1b[2J\udc80",
        status=Status.PASS_WEAK,
        started_at=datetime(2026, 3, 1, 2, 30, 0, 5, tzinfo=UTC),
        duration_s=1.25,
        claims=(CLAIM,),
        stages=(StageRecord(name="attack", summary="", duration_s=1.0, sandbox_s=0.9),),
        cost_usd=Decimal("0.000000123"),
        labels=("a",),
    )
    return [first, replace(first, run_id="run-2"), replace(first, run_id="run-3", ticket_id=TicketId(f"{ticket_id}-b"))]


def test_frames_of_the_artifacts_equal_those_of_the_ledger_and_reconcile_says_so(
    state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFUTE_STATE_DIR", str(state_dir))
    monkeypatch.setenv("REFUTE_SERVER_IDLE_S", "120")
    monkeypatch.setattr(artifacts, "READ_AT_ONCE", 2)
    settings = Settings.load()
    ticket_id = f"TCK-{uuid4().hex}"
    mine = outcomes(ticket_id)
    scope = Scope(ticket_ids=(ticket_id, f"{ticket_id}-b"))  # server and ledger hold what other tests leave, too
    command = ["report", "--reconcile", "--ticket", ticket_id, "--ticket", f"{ticket_id}-b"]
    ledger = Ledger.open(settings)
    with server_lease(settings, say=print) as api_url:
        from prefect.settings import PREFECT_API_URL, temporary_settings

        with temporary_settings({PREFECT_API_URL: api_url}):
            for outcome in mine:
                ledger.record(outcome)
                show_outcome(settings, outcome)
        stored = [one for one in artifacts.stored_records(api_url).outcomes if one.ticket_id in scope.ticket_ids]
        assert_equal(frames_from_outcomes(stored), frames_from_ledger(ledger, scope))
        agreed = CliRunner().invoke(refute, command, standalone_mode=False)
        ledger.record(replace(mine[0], run_id="run-4"))
        differing = CliRunner().invoke(refute, command, standalone_mode=False)
    assert agreed.return_value == 0
    assert agreed.output == "3 outcomes in both, 0 of them different\nledger and artifacts agree\n"
    assert differing.return_value == 1
    assert f"only in the ledger: 1\n  {ticket_id}, run run-4, attempt 1" in differing.output
