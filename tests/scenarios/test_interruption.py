"""A run that somebody ends: its outcome is recorded, nothing of it stays on the engine, the next run works."""

import json
import signal
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from refute.guardrails.audit_chain import verify_chain
from tests.scenarios.conftest import containers_of

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

WITHIN_S = 600


@pytest.fixture
def started(settings, tmp_path) -> Callable[[Path], "subprocess.Popen[str]"]:
    """`refute verify` in a process of its own, as a person or a CI system starts it."""
    import os

    def start(directory: Path) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "flows.cli", "verify", str(directory), "--yes", "--format", "json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Whoever runs the tests in the background has Ctrl-C ignored; the person in this test has not.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # one C call
            env={
                **os.environ,
                "REFUTE_STATE_DIR": str(settings.state_dir),
                "REFUTE_SERVER_IDLE_S": "120",
                "GUARDRAIL_AUDIT_PATH": str(settings.audit_path),
                "REFUTE_COSTS_CSV": str(settings.costs_csv),
            },
        )

    return start


def recorded(settings, run_id: str) -> list[tuple[str]]:
    with sqlite3.connect(settings.state_dir / "ledger.db") as ledger:
        return ledger.execute("SELECT status FROM outcomes WHERE run_id = ?", (run_id,)).fetchall()


@pytest.mark.parametrize(("number", "word"), [(signal.SIGINT, "person"), (signal.SIGTERM, "SIGTERM")])
def test_a_run_ended_in_a_container_is_recorded_as_cancelled_and_its_container_removed(
    ticket, started, settings, wait_until, number, word
):
    name = f"ENDED-{number}-{uuid.uuid4().hex[:8]}"  # another run's leftovers on this engine are not ours
    run = started(ticket(script="sleep 300\n", id=name))
    wait_until(lambda: containers_of(ticket=name))
    run.send_signal(number)
    out, err = run.communicate(timeout=WITHIN_S)
    assert run.returncode == 13, err
    outcome = json.loads(out)
    assert outcome["status"] == "CANCELLED"
    assert word in outcome["reason"]
    assert recorded(settings, outcome["run_id"]) == [("CANCELLED",)]
    # The engine lists one for a moment that is being removed; one that was left would sleep for 300 s.
    wait_until(lambda: containers_of(ticket=name) == [], within_s=60)
    assert verify_chain(settings.audit_path).intact


def test_an_interruption_while_the_outcome_is_being_recorded_does_not_lose_it(ticket, started, settings, wait_until):
    run = started(ticket(id="ENDED-LATE"))
    verdict = '"gate": "verdict"'
    wait_until(lambda: settings.audit_path.exists() and verdict in settings.audit_path.read_text())
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=WITHIN_S)
    if run.returncode == 130:  # it struck after the run, while the outcome was being shown
        assert "interrupted" in err
        run_id = json.loads(settings.audit_path.read_text().splitlines()[-1])["run_id"]
    else:
        assert run.returncode == 11, err
        run_id = json.loads(out)["run_id"]
    assert recorded(settings, run_id) == [("PASS_WEAK",)]
    assert len(settings.costs_csv.read_text().splitlines()) >= 2
