"""S230: the same ticket twice. What its containers said stands for the second run, which starts none and says so."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from refute.outcome import Outcome, Status
from refute.sandbox import engine
from refute.sandbox.connection import EngineClient
from refute.sandbox.job import Job
from refute.sandbox.ready_container import ReadyContainer
from reports.outcome_formats import render

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

CODE = "def odd(n: int) -> int:\n    return n + n + 1\n"
CLAIM = "odd(n) returns the same as 2 * n + 1."
STAGES = {"verify", "attack", "strength", "second environment", "critics"}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The stages that containers are made for, as they are."""
    stages: list[str] = []
    make_ready = engine.make_ready

    def counted(client: EngineClient, job: Job, *arguments: Any, **options: Any) -> ReadyContainer:
        stages.append(job.name)
        return make_ready(client, job, *arguments, **options)

    monkeypatch.setattr(engine, "make_ready", counted)
    return stages


def cached(outcome: Outcome) -> dict[str, str]:
    """Stage → the run that stands for it."""
    return {stage.name: stage.kept.run_id for stage in outcome.stages if stage.kept}


def test_s230_the_second_run_of_a_ticket_takes_what_containers_said_from_the_cache_until_something_changes(
    ticket: Callable[..., Path], verify: Callable[..., Outcome], made: list[str], tmp_path: Path
) -> None:
    fields = {"claims": [CLAIM], "implementation": ["odds.py"], "script": "python -c 'import odds'\n"}
    directory = ticket(files={"odds.py": CODE}, **fields)
    shared = {"results_dir": tmp_path / "results", "signing_key": SecretStr("0123456789abcdef" * 2)}
    settings = {"results_max_age_s": 3600.0, "mutants": 2, "strength_floor": 0.0, "mutation_timeout_s": 300, **shared}

    first = verify(directory, **settings)
    assert first.status is Status.PASS, first.reason
    assert set(made) == STAGES
    assert cached(first) == {}

    made.clear()
    second = verify(directory, **settings)
    assert made == []
    assert cached(second) == dict.fromkeys(STAGES, first.run_id)
    assert (second.status, second.reason, second.claims) == (first.status, first.reason, first.claims)
    assert second.strength == first.strength
    assert (second.cost_usd, sum(stage.sandbox_s for stage in second.stages)) == (0, 0)
    assert "· reused results from" in render(second, "table")

    changed = verify(ticket(files={"odds.py": CODE.replace("+ 1", "+ 2")}, **fields), **settings)
    assert made[:2] == ["verify", "attack"]
    assert (changed.status, cached(changed)) == (Status.FAILED_ADVERSARIAL, {})
