"""What a second try may mend, and what it must not touch."""

import inspect
from typing import Any

import pytest
from prefect.states import Failed

from refute import errors
from refute.errors import InfrastructureError, RefuteError
from refute.settings import Settings
from reports.artifacts import artifact_key
from tasks.options import MARGIN_S, PASSING, backstop_s, for_settings, is_passing
from tasks.stages import STAGES

ALL = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, RefuteError)]


def failed_with(error: BaseException) -> Any:
    return is_passing(None, None, Failed(data=error))  # type: ignore[arg-type]  # only the state is looked at


def test_only_an_engine_or_a_container_that_went_away_is_tried_again():
    again = {kind.__name__ for kind in ALL if failed_with(kind.__new__(kind))}
    assert again == {"EngineUnavailable", "EngineDied", "ContainerLost", "CommandNotStarted"}
    assert all(issubclass(kind, InfrastructureError) for kind in PASSING)
    assert not failed_with(ValueError("a fault of ours"))


@pytest.mark.parametrize("stage", STAGES)
def test_the_backstop_stands_behind_every_limit_of_the_engine(stage):
    settings = Settings()
    limits = {
        "verify": settings.verification_timeout_s,
        "attack": settings.attack_timeout_s,
        "strength": settings.mutation_timeout_s,
    }
    assert backstop_s(stage, settings) >= limits.get(stage, 0) + MARGIN_S


def test_what_records_or_judges_is_done_once_and_what_runs_containers_up_to_three_times():
    assert {name: task.retries for name, task in STAGES.items()} == {
        "scan": 0,
        "verify": 2,
        "research": 2,
        "differences": 2,
        "write tests": 2,
        "attack": 2,
        "triage": 2,
        "reproduce": 2,
        "plant violations": 2,
        "strength": 2,
        "second environment": 2,
        "critics": 2,
        "static critics": 2,
        "rework": 0,
        "outcome": 0,
    }


def test_fresh_reads_no_cache_and_still_keeps_what_it_made():
    task = for_settings(STAGES["attack"], Settings(fresh=True))
    assert (task.refresh_cache, task.persist_result) == (True, True)
    assert not for_settings(STAGES["attack"], Settings()).refresh_cache


def test_ids_that_differ_only_in_case_or_punctuation_get_keys_of_their_own():
    keys = {artifact_key(ticket_id) for ticket_id in ("TCK-1", "tck.1", "tck_1", "tck-1")}
    assert len(keys) == 4
