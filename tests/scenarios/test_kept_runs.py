"""S230: the same ticket twice. What its containers said stands for the second run, which starts none and says so."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docker
import pytest

from refute.outcome import Outcome, Status
from reports.outcome_formats import render
from tests.scenarios.conftest import REPOSITORY

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

SAMPLE = REPOSITORY / "examples" / "tickets" / "id-reconciliation"
CODE = "reconcile.py"


def containers_of(outcome: Outcome) -> list[str]:
    """The stages that a run made containers for, by the engine's own events."""
    client = docker.from_env()
    filters: dict[str, Any] = {"type": "container", "event": "create", "label": f"refute.run={outcome.run_id}"}
    since = int(outcome.started_at.timestamp()) - 1
    ended = outcome.started_at.timestamp() + outcome.duration_s + 5
    events = list(client.events(since=since, until=int(ended), filters=filters, decode=True))
    client.close()
    return [event["Actor"]["Attributes"]["refute.stage"] for event in events]


def kept(outcome: Outcome) -> dict[str, str]:
    """Stage → the run that stands for it."""
    return {stage.name: stage.kept.run_id for stage in outcome.stages if stage.kept}


def test_s230_the_second_run_of_a_ticket_is_made_of_kept_ones_until_something_changes(
    verify: Callable[..., Outcome], tmp_path: Path
) -> None:
    ticket = shutil.copytree(SAMPLE, tmp_path / "ticket")
    code = ticket / CODE
    code.write_text(f"{code.read_text()}# {tmp_path}\n")  # nobody ran exactly this before
    settings = {"kept_runs_max_age_s": 3600.0, "mutants": 6}

    first = verify(ticket, **settings)
    assert first.status is Status.PASS, first.reason
    assert {"verify", "attack", "strength"} == set(containers_of(first))
    assert kept(first) == {}

    second = verify(ticket, **settings)
    assert containers_of(second) == []
    assert kept(second) == dict.fromkeys(("verify", "attack", "strength"), first.run_id)
    assert (second.status, second.reason, second.claims) == (first.status, first.reason, first.claims)
    assert second.strength == first.strength
    assert (second.cost_usd, sum(stage.sandbox_s for stage in second.stages)) == (0, 0)
    assert second.verification_output == first.verification_output
    table = render(second, "table")
    assert "not all was run again, results of" in table
    assert "seconds ago" in table or "minute" in table

    fresh = verify(ticket, request={"fresh": True}, **settings)
    assert {"verify", "attack", "strength"} == set(containers_of(fresh))
    assert (fresh.status, kept(fresh)) == (first.status, {})

    code.write_text(code.read_text().replace("here and there]", "here or there]"))
    changed = verify(ticket, **settings)
    assert changed.status.name.startswith("FAILED"), changed.reason
    assert kept(changed) == {}
    assert "verify" in containers_of(changed)
