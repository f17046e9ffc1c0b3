"""A bench's wrong code is meant to fail: no ticket, no alert and no busy day of it, but its money is spent."""

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
from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.settings import Settings
from reports.facts import read_facts
from reports.scope import Scope

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


@pytest.mark.parametrize(("bench", "runs"), [(None, 42), (False, 20), (True, 22)])
def test_a_scope_leaves_bench_runs_out_or_has_only_these(ledger: Ledger, bench: bool | None, runs: int) -> None:
    assert len(read_facts(ledger, Scope(bench=bench), datetime.now(UTC)).outcomes) == runs


def test_no_other_batch_is_named_like_a_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ticket.yaml").write_text("")
    refused = CliRunner().invoke(batch, [str(tmp_path), "--yes", "--name", "bench-night"])
    assert refused.exit_code == 2
    assert "begins the names of bench runs" in refused.output
    with pytest.raises(ValidationError, match="are those of bench runs"):
        BatchRequest(source=tmp_path, batch_id="bench-night", settings=Settings(state_dir=tmp_path))
