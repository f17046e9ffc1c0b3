"""A bench's wrong code is meant to fail: no ticket, no alert and no busy day of it, but its money is spent."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner
from pydantic import ValidationError

from flows.batch.request import BatchRequest
from flows.commands.batch import batch
from flows.commands.report import report
from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.settings import Settings
from reports.facts import read_facts
from reports.scope import Scope
from reports.spending import most_runs_a_day, spent_by_day
from reports.spikes import find_spikes

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path: Path, outcomes: dict[str, Outcome]) -> Iterator[Ledger]:
    """Twenty passes some days ago, ten and twelve failures of a bench an hour ago, at 10 cents each."""
    opened = Ledger.open(Settings(state_dir=tmp_path))
    one = replace(outcomes["failed_adversarial"], cost_usd=Decimal("0.1"), models=())
    for number in range(20):
        passed = replace(one, status=Status.PASS, started_at=NOW - timedelta(days=3))
        opened.record(replace(passed, run_id=f"Bench-{number}"))  # only the small letters are ours
    for number in range(22):
        opened.record(replace(one, run_id=f"bench-property-{number}", started_at=NOW - timedelta(hours=1)))
    yield opened
    opened.close()


def test_bench_runs_raise_no_alert_and_make_no_busy_day(ledger: Ledger) -> None:
    assert find_spikes(ledger, NOW) == ()
    assert most_runs_a_day(ledger, NOW) == 20


def test_what_a_bench_cost_counts_in_the_budget(ledger: Ledger) -> None:
    assert spent_by_day(ledger, NOW)[NOW.date()] == Decimal("2.2")


@pytest.mark.parametrize(("bench", "runs"), [(None, 42), (False, 20), (True, 22)])
def test_a_scope_leaves_bench_runs_out_or_has_only_these(ledger: Ledger, bench: bool | None, runs: int) -> None:
    assert len(read_facts(ledger, Scope(bench=bench), datetime.now(UTC)).outcomes) == runs


def test_the_report_leaves_bench_runs_out_unless_they_are_asked_for(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REFUTE_STATE_DIR", str(tmp_path))
    default, only = (
        json.loads(CliRunner().invoke(report, ["--json", *more], catch_exceptions=False).stdout)
        for more in ([], ["--bench"])
    )
    assert (default["totals"]["runs"], default["totals"]["failing_tickets"], default["scope"]) == (20, [], {})
    assert (only["totals"]["runs"], only["scope"]) == (22, {"bench": "only"})


def test_no_other_batch_is_named_like_a_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ticket.yaml").write_text("")
    refused = CliRunner().invoke(batch, [str(tmp_path), "--yes", "--name", "bench-night"])
    assert refused.exit_code == 2
    assert "begins the names of bench runs" in refused.output
    with pytest.raises(ValidationError, match="are those of bench runs"):
        BatchRequest(source=tmp_path, batch_id="bench-night", settings=Settings(state_dir=tmp_path))
