"""S230: the same ticket twice. What its containers said stands for the second run, which starts none and says so."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from refute.outcome import Outcome, Status
from refute.sandbox import engine
from refute.sandbox.connection import EngineClient
from refute.sandbox.job import Job
from refute.sandbox.standing import Standing
from reports.outcome_formats import render
from tests.scenarios.conftest import REPOSITORY

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

SAMPLE = REPOSITORY / "examples" / "tickets" / "id-reconciliation"
CODE = "reconcile.py"
STAGES = {"verify", "attack", "strength"}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The stages that containers are made for, as they are."""
    stages: list[str] = []
    stand = engine.stand

    def counted(client: EngineClient, job: Job, *arguments: Any, **options: Any) -> Standing:
        stages.append(job.name)
        return stand(client, job, *arguments, **options)

    monkeypatch.setattr(engine, "stand", counted)
    return stages


def kept(outcome: Outcome) -> dict[str, str]:
    """Stage → the run that stands for it."""
    return {stage.name: stage.kept.run_id for stage in outcome.stages if stage.kept}


def test_s230_the_second_run_of_a_ticket_is_made_of_kept_ones_until_something_changes(
    verify: Callable[..., Outcome], made: list[str], tmp_path: Path
) -> None:
    ticket = shutil.copytree(SAMPLE, tmp_path / "ticket")
    code = ticket / CODE
    code.write_text(f"{code.read_text()}# {tmp_path}\n")  # nobody ran exactly this before
    settings = {"kept_runs_max_age_s": 3600.0, "mutants": 3, "strength_floor": 0.1}

    first = verify(ticket, **settings)
    assert first.status is Status.PASS, first.reason
    assert set(made) == STAGES
    assert kept(first) == {}

    made.clear()
    second = verify(ticket, **settings)
    assert made == []
    assert kept(second) == dict.fromkeys(STAGES, first.run_id)
    assert (second.status, second.reason, second.claims) == (first.status, first.reason, first.claims)
    assert second.strength == first.strength
    assert (second.cost_usd, sum(stage.sandbox_s for stage in second.stages)) == (0, 0)
    assert second.verification_output == first.verification_output
    table = render(second, "table")
    assert "not all was run again, results of" in table
    assert "seconds ago" in table or "minute" in table

    fresh = verify(ticket, request={"fresh": True}, **settings)
    assert set(made) == STAGES
    assert (fresh.status, kept(fresh)) == (first.status, {})

    made.clear()
    code.write_text(code.read_text().replace("here and there]", "here or there]"))
    changed = verify(ticket, **settings)
    assert changed.status.name.startswith("FAILED"), changed.reason
    assert kept(changed) == {}
    assert "verify" in made
