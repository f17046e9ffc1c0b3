"""Batches without Prefect and without an engine."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest

from flows.batch.progress import Progress
from flows.batch.run import BatchRun
from flows.batch.watcher import BatchWatcher
from flows.containers import Containers
from refute.batch.entry import read_entries
from refute.ledger.batches import Batch, Batches
from refute.ledger.store import Ledger
from refute.settings import Settings
from refute.stages.execution import Directly
from tests.fakes.tickets import write_ticket


class DirectStages(Directly):
    """Stages without an orchestrator; nothing is cached."""

    storage = None

    def __init__(self, *_: object) -> None:
        """As `StageTasks` is made."""


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of tickets whose artifacts were left; stages run without Prefect, which would start a server for them."""
    ids: list[str] = []
    monkeypatch.setattr("flows.pipeline.StageTasks", DirectStages)
    monkeypatch.setattr("flows.pipeline.results_kept_in", lambda _: nullcontext())
    monkeypatch.setattr("flows.pipeline.still_answers", lambda: True)
    monkeypatch.setattr("flows.batch.ticket.still_answers", lambda: True)
    monkeypatch.setattr("tasks.outcome.show_outcome", lambda settings, outcome: ids.append(outcome.ticket_id))  # noqa: ARG005
    return ids


class Heard(BatchWatcher):
    """Keeps what a watcher is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.ended_ids: list[str] = []

    def ended(self, outcome, tally, left_s) -> None:
        self.ended_ids.append(outcome.ticket_id)

    def told(self, message: str) -> None:
        self.lines.append(message)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state_dir=tmp_path / "state", costs_csv=tmp_path / "c.csv", audit_path=tmp_path / "a.jsonl")


@pytest.fixture
def ledger(settings: Settings) -> Iterator[Ledger]:
    opened = Ledger.open(settings)
    yield opened
    opened.close()


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a ticket; its script is harmless unless another is given."""

    def ticket(name: str, *, script: str = "true\n") -> Path:
        code = {"a.py": "def f(x):\n    return x\n"}
        return write_ticket(tmp_path / "tickets" / name, code, script, id=name, claims=["f(1) returns 1."])

    return ticket


@pytest.fixture
def batch(settings: Settings, ledger: Ledger, tmp_path: Path) -> Callable[[], BatchRun]:
    """Open a batch of all that was written."""

    def opened() -> BatchRun:
        entries = {entry.ticket_id: entry for entry in read_entries(tmp_path / "tickets")}
        batches, watcher = Batches(ledger), Heard()
        made = Batch(id="b", source=str(tmp_path), created_at=datetime.now(UTC))
        batches.create(made, [(entry.ticket_id, entry.source) for entry in entries.values()])
        return BatchRun(
            batch_id="b",
            entries=entries,
            settings=settings,
            ledger=ledger,
            containers=Containers(1),
            progress=Progress(batches, "b", entries.keys(), watcher=watcher),
            watcher=watcher,
        )

    return opened
