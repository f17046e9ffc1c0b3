"""`refute bench`: what it runs as one batch, and what the same command given again still runs.

The batch's own work (Prefect, containers) is faked by what it leaves in the ledger; with them: scenarios/test_bench.py.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from flows import run
from flows.batch.opening import open_batch
from flows.batch.request import BatchRequest
from flows.batch.result import BatchResult
from flows.commands.bench import bench
from refute.batch.tally import Tally
from refute.ledger.batches import Answer, Batches
from refute.ledger.store import Ledger
from refute.outcome import Status
from refute.settings import Settings
from tests.fakes.outcomes import fake_outcome


@dataclass
class FakeBatches:
    """Does the batches asked of it: records an outcome for each ticket, of the status that is next."""

    statuses: Iterator[Status | None]
    """None: the process is interrupted there."""
    ran: list[list[str]] = field(default_factory=list)
    """Tickets of each run in order."""
    requests: list[BatchRequest] = field(default_factory=list)

    def __call__(self, request: BatchRequest, settings: Settings, *, watcher: object) -> BatchResult:
        self.requests.append(request)
        self.ran.append([])
        with closing(Ledger.open(settings)) as ledger:
            batches = Batches(ledger)
            batch, entries = open_batch(batches, request, check=lambda _: None)
            batches.answer(batch.id, Answer.APPROVED, by="test", digests=dict.fromkeys(entries))
            for row in [row for row in batches.tickets(batch.id) if not row.finished]:
                status = next(self.statuses)
                if status is None:
                    break
                self.ran[-1].append(row.ticket_id)
                ledger.record(fake_outcome(row.ticket_id, run_id=batch.id, status=status))
            left = tuple(row.ticket_id for row in batches.tickets(batch.id) if not row.finished)
        return BatchResult(batch_id=batch.id, tally=Tally(total=len(entries)), unfinished=left)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    lines = (
        {"id": n, "entry_point": n, "claims": [f"{n}(1) == 2"], "correct": f"def {n}(x):\n    return 2 * x", "wrong": w}
        for n, w in (("twice", "def twice(x):\n    return x"), ("double", "def double(x):\n    return 3"))
    )
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


Bench = Callable[..., Result]


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeBatches]:
    def put(*statuses: Status | None) -> FakeBatches:
        made = FakeBatches(iter(statuses))
        monkeypatch.setattr(run, "run_batch", made)
        return made

    return put


@pytest.fixture
def command(dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REFUTE_STATE_DIR", str(tmp_path / "state"))
    for folder in ("answers", "one", "two"):
        (tmp_path / folder).mkdir()
    return lambda *arguments: CliRunner().invoke(
        bench, [str(dataset), "--format", "json", *arguments], standalone_mode=False, catch_exceptions=False
    )


def test_several_testers_are_measured_together(batches, command):
    done = batches(*[Status.PASS] * 4)
    ended = command("--replay", "answers", "--tester", "gemini,property")
    assert ended.return_value == 0
    assert json.loads(ended.stdout)["tester"] == "replay,property"
    (asked,) = done.requests
    assert asked.batch_id.startswith("bench-replay-property-")
    assert len(done.ran[0]) == 4


def test_an_interrupted_run_goes_on_also_where_an_earlier_one_is_finished(batches, command):
    done = batches(*[Status.PASS] * 4, Status.PASS, None, *[Status.PASS] * 3)
    first, interrupted, gone_on = command(), command(), command()
    assert [one.return_value for one in (first, interrupted, gone_on)] == [0, Status.PENDING.exit_code, 0]
    assert "same command again" in interrupted.stderr
    assert json.loads(interrupted.stdout)["no_outcome"] == 3
    assert [len(ran) for ran in done.ran] == [4, 1, 3]
    assert set(done.ran[1]) | set(done.ran[2]) == set(done.ran[0])
    assert done.requests[2].resume == done.requests[1].batch_id != done.requests[0].batch_id


def test_versions_that_ended_without_a_verdict_are_run_again_and_no_others(batches, command):
    done = batches(
        Status.PASS, Status.ERROR, Status.PASS, Status.SKIPPED_BUDGET, Status.ERROR, None, *[Status.PASS] * 8
    )
    failed = command()
    assert failed.return_value == Status.ERROR.exit_code
    assert "No verdict: 1 ERROR, 1 SKIPPED_BUDGET." in failed.stderr
    command()  # interrupted, after one of the two failed again
    assert command().return_value == Status.ERROR.exit_code  # the second of the two; the first one is ERROR still
    last = command()
    assert last.return_value == 0
    assert json.loads(last.stdout)["no_outcome"] == 0
    assert done.ran[3] == [done.ran[0][1]] == [done.ran[1][0]]
    assert done.ran[2] == [done.ran[0][3]]
    assert len(command().stdout) > 0
    assert len(done.ran[4]) == 4  # all had a verdict: a run of its own
