"""S240: a batch that is killed and resumed ends with one outcome per ticket and nothing on the engine."""

import json
import random
import signal
import sqlite3
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

from flows.orchestrator.server import server_lease
from refute.ledger.store import Ledger
from tests.fakes.prefect_api import asked
from tests.fakes.waiting import wait_for
from tests.scenarios.conftest import WRONG_SLUG, TicketFiles, containers_of

if TYPE_CHECKING:
    from subprocess import Popen

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

WITHIN_S = 600
SEED = 240
"""Of the moments at which the batch is killed."""


class Runs:
    """Starts `refute batch` in processes of their own, on one ledger."""

    def __init__(self, settings, start_cli, directory: Path) -> None:
        self._settings = settings
        self._start_cli = start_cli
        self.directory = directory
        self.name = f"kill-{uuid.uuid4().hex[:8]}"
        self._started: list[Popen[str]] = []
        Ledger.open(settings).close()  # its tables are there to be looked at

    def start(self, *arguments: str) -> "Popen[str]":
        run = self._start_cli("batch", *arguments)
        self._started.append(run)
        return run

    def end(self) -> None:
        """Leave no process behind, whatever became of the test."""
        for run in self._started:
            if run.poll() is None:
                run.kill()
                run.communicate(timeout=WITHIN_S)

    def statuses(self) -> list[tuple[str, str]]:
        """(ticket, status) of every outcome in the ledger."""
        query = "SELECT ticket_id, status FROM outcomes WHERE run_id = ? ORDER BY ticket_id"
        with sqlite3.connect(self._settings.state_dir / "ledger.db", timeout=60) as ledger:
            return ledger.execute(query, (self.name,)).fetchall()

    def containers(self) -> list[object]:
        return containers_of(run=self.name)


@pytest.fixture
def runs(settings, start_cli, tmp_path) -> Iterator[Runs]:
    started = Runs(settings, start_cli, tmp_path / "tickets")
    with server_lease(settings, say=print):  # its start, which may take minutes on a busy machine, is not the subject
        yield started
    started.end()


def write_tickets(directory: Path, *, attacked: int, blocked: int) -> dict[str, str]:
    """Small tickets, of those that are attacked every other one wrong; what each must get.

    Those that are blocked end with their scan: they are as much a ticket of a batch as any, at a tenth of the time.
    """
    expected = {}
    for number in range(attacked):
        ticket_id, wrong = f"T-{number:02}", number % 2 == 1
        files = {"slug.py": WRONG_SLUG} if wrong else TicketFiles().files
        TicketFiles(id=ticket_id, script="python -c 'import slug'\n", files=files).write(directory / ticket_id)
        expected[ticket_id] = "FAILED_ADVERSARIAL" if wrong else "PASS_WEAK"
    for number in range(attacked, attacked + blocked):
        ticket_id = f"T-{number:02}"
        TicketFiles(id=ticket_id, script="rm -rf /\n").write(directory / ticket_id)
        expected[ticket_id] = "BLOCKED_DANGEROUS_SCRIPT"
    return expected


# Two workers on one server, with a model whose answers are bought once: test_two_workers.py.
def test_s240_a_batch_killed_at_random_moments_and_resumed_ends_with_one_outcome_per_ticket_and_no_container(runs):
    expected = write_tickets(runs.directory, attacked=2, blocked=98)
    chance = random.Random(SEED)  # noqa: S311  # no secret
    start = [str(runs.directory), "--yes", "--name", runs.name]
    for _ in range(2):
        killed = runs.start(*start)
        done = len(runs.statuses())
        wait_for(lambda run=killed, done=done: run.poll() is not None or len(runs.statuses()) > done)
        time.sleep(chance.uniform(0, 2))  # the moment of the kill, not a synchronisation
        kill(killed)
        start = ["--yes", "--resume", runs.name]
    last = runs.start(*start)
    out, err = last.communicate(timeout=WITHIN_S)
    assert last.returncode == 12, err
    assert dict(runs.statuses()) == expected, out + err
    assert len(runs.statuses()) == len(expected)
    assert json.loads(out)["counts"] == Counter(expected.values())
    wait_for(lambda: runs.containers() == [], within_s=60)  # the engine lists one for a moment that is being removed


def task_runs(api_url: str, flow_run: str) -> list[dict[str, object]]:
    found = asked(api_url, "POST", "/task_runs/filter", {"flow_runs": {"id": {"any_": [flow_run]}}})
    return [dict(one) for one in found]


def kill(run: "Popen[str]") -> None:
    run.kill()
    run.communicate(timeout=WITHIN_S)


@pytest.mark.traced
def test_ctrl_c_ends_a_batch_keeps_what_is_done_and_says_how_to_go_on(runs):
    expected = write_tickets(runs.directory, attacked=0, blocked=2)
    TicketFiles(id="SLOW", script="sleep 300\n").write(runs.directory / "z-slow")
    run = runs.start(str(runs.directory), "--yes", "--name", runs.name)
    wait_for(lambda: run.poll() is not None or (len(runs.statuses()) == len(expected) and runs.containers()))
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=WITHIN_S)
    assert run.returncode == 12, err  # those that are done were blocked
    assert f"refute batch --resume {runs.name}" in err
    assert json.loads(out)["unfinished"] == ["SLOW"]
    assert dict(runs.statuses()) == expected
    wait_for(lambda: runs.containers() == [], within_s=60)  # as above; one that was left would sleep for 300 s


def test_in_the_ui_a_ticket_is_a_task_run_with_its_status_below_it_its_stages_and_the_batch_leaves_its_summary(
    settings, tmp_path
):
    from flows.batch.request import BatchRequest
    from flows.batch.watcher import BatchWatcher
    from flows.run import run_batch

    name = f"ui-{uuid.uuid4().hex[:8]}"
    for ticket_id in ("A", "B"):  # a dangerous script ends before any container
        TicketFiles(id=ticket_id, script="rm -rf /\n", more={"labels": ["core"]}).write(tmp_path / "t" / ticket_id)
    request = BatchRequest(source=tmp_path / "t", batch_id=name, approval="in_advance", settings=settings)

    class Threads(BatchWatcher):
        names: ClassVar[list[str]] = []

        def ended(self, outcome, tally, left_s) -> None:
            self.names.extend(thread.name for thread in threading.enumerate())

    result = run_batch(request, settings, watcher=Threads())
    assert result.status == "BLOCKED_DANGEROUS_SCRIPT"
    assert not [name for name in Threads.names if "Slot" in name], "a thread and a connection for every ticket"
    with server_lease(settings, say=print) as api_url:

        def tickets() -> list[tuple[object, ...]]:
            runs = asked(api_url, "POST", "/task_runs/filter", {"task_runs": {"tags": {"all_": [name]}}})
            return sorted((run["name"], run["state_name"], "core" in run["tags"]) for run in runs)

        blocked = "BLOCKED_DANGEROUS_SCRIPT"
        wait_for(lambda: tickets() == [("A", blocked, True), ("B", blocked, True)])  # Prefect learns of them late
        (run,) = asked(api_url, "POST", "/flow_runs/filter", {"flow_runs": {"name": {"any_": [f"batch {name}"]}}})
        assert run["state_name"] == blocked
        stages = {"A · scan", "A · outcome", "B · scan", "B · outcome"}
        assert {one["name"] for one in task_runs(api_url, run["id"])} == {"A", "B", *stages}
        artifacts = asked(api_url, "POST", "/artifacts/filter", {"artifacts": {"flow_run_id": {"any_": [run["id"]]}}})
    assert {"batch-progress", "batch-summary", "batch-by-label"} <= {one["key"] for one in artifacts}
    by_status = next(json.loads(one["data"]) for one in artifacts if one["key"] == "batch-by-status")
    assert [(row["status"], row["runs"]) for row in by_status] == [(blocked, 2)]
    summary = next(one["data"] for one in artifacts if one["key"] == "batch-summary")
    assert "task-run" in str(summary)
