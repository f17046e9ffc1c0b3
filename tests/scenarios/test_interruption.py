"""A run that somebody ends: its outcome is recorded, nothing of it stays on the engine, the next run works."""

import json
import signal
import sqlite3
import uuid

import pytest

from refute.guardrails.audit_chain import verify_chain
from tests.fakes.waiting import wait_for
from tests.scenarios.conftest import containers_of

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

WITHIN_S = 600


def recorded(settings, run_id: str) -> list[tuple[str]]:
    with sqlite3.connect(settings.state_dir / "ledger.db") as ledger:
        return ledger.execute("SELECT status FROM outcomes WHERE run_id = ?", (run_id,)).fetchall()


# Ctrl-C in a container: test_batch.py.
def test_a_run_ended_in_a_container_is_recorded_as_cancelled_and_its_container_removed(ticket, start_cli, settings):
    name = f"ENDED-{uuid.uuid4().hex[:8]}"  # another run's leftovers on this engine are not ours
    run = start_cli("verify", ticket(script="sleep 300\n", id=name), "--yes")
    wait_for(lambda: containers_of(ticket=name))
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=WITHIN_S)
    assert run.returncode == 13, err
    outcome = json.loads(out)
    assert outcome["status"] == "CANCELLED"
    assert "SIGTERM" in outcome["reason"]
    assert recorded(settings, outcome["run_id"]) == [("CANCELLED",)]
    # The engine lists one for a moment that is being removed; one that was left would sleep for 300 s.
    wait_for(lambda: containers_of(ticket=name) == [], within_s=60)
    assert verify_chain(settings.audit_path).intact


def test_an_interruption_while_the_outcome_is_being_recorded_does_not_lose_it(ticket, start_cli, settings):
    run = start_cli("verify", ticket(id="ENDED-LATE"), "--yes")
    verdict = '"gate": "verdict"'
    wait_for(lambda: settings.audit_path.exists() and verdict in settings.audit_path.read_text(), every_s=0.02)
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
