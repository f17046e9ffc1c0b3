"""What may stand for a later run: what came to its end by itself, the same each time."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from refute.adversary.attack import TestEnd
from refute.adversary.strength.record import MutantEnd, MutantResult, Strength
from refute.caching.fitness import ended_well, repeatable, settled
from refute.caching.wording import not_run_again
from refute.outcome import KeptFrom, StageRecord
from refute.sandbox.job import Exited, Limit, LimitReached, TimedOut
from tests.refute.adversary.conftest import make_attack_run, make_run
from tests.refute.caching.records import FAILED, PASSED, ended

ELSEWHERE = replace(FAILED, error_message="<A at 0x99ff> is not 2")


@pytest.mark.parametrize(
    "change",
    [
        {"end": Exited(code=1)},
        {"end": TimedOut(limit_s=1)},
        {"end": LimitReached(limit=Limit.MEMORY, detail="2 GiB", exit_code=0)},
        {"canary_files_touched": ("/home/subject/.ssh/id",)},
    ],
)
def test_a_job_lasts_only_where_it_ended_by_itself_and_well(change: dict[str, Any]) -> None:
    assert ended_well(ended()) == ""
    assert ended_well(ended(**change))


def test_an_attack_lasts_where_all_passed_or_failed_the_same_each_time() -> None:
    assert repeatable(make_attack_run([PASSED])) == ""
    assert repeatable(make_attack_run([PASSED, FAILED], [ELSEWHERE], [FAILED])) == ""
    recursion = make_run("test_b", error_type="RecursionError", error_message="maximum recursion depth exceeded")
    assert repeatable(make_attack_run([recursion], [recursion])) == ""


@pytest.mark.parametrize(
    "again",
    [
        make_run("test_b", TestEnd.PASSED),
        replace(FAILED, error_type="ValueError"),
        replace(FAILED, error_message="another value"),
        replace(FAILED, name="test_a"),
    ],
)
def test_an_attack_that_differed_from_run_to_run_does_not_last(again: Any) -> None:
    assert repeatable(make_attack_run([PASSED, FAILED], [FAILED], [again]))


@pytest.mark.parametrize(
    "run",
    [
        make_run("test_b", TestEnd.TIMED_OUT),
        make_run("test_b", TestEnd.MISSING),
        make_run("test_b", error_type="MemoryError"),
        make_run("test_b", error_type="OSError", error_message="[Errno 28] No space left on device"),
        make_run("test_b", error_type="hypothesis.errors.DeadlineExceeded"),
    ],
)
def test_what_a_limit_of_the_machine_ended_does_not_last(run: Any) -> None:
    assert repeatable(make_attack_run([PASSED, run], [run], [run]))


@pytest.mark.parametrize("facts", [{"timed_out": True}, {"tampering": ("a canary lied",)}])
def test_an_attack_that_was_cut_short_or_tampered_with_does_not_last(facts: dict[str, Any]) -> None:
    assert repeatable(make_attack_run([PASSED], **facts))


def measured(**facts: Any) -> Strength:
    given: dict[str, Any] = {"n": 20, "killed": 20, "killed_by_claims_only": 20, "low": 0.88, "high": 1.0}
    return Strength(**{**given, "floor": 0.6, "drawn": 20, **facts})


def test_a_score_lasts_where_hanging_mutants_could_not_have_turned_it() -> None:
    assert settled(measured()) == ""
    assert settled(measured(limit=2)) == ""
    assert settled(measured(killed=2, limit=2)) == ""
    assert settled(measured(n=5, killed=5, limit=1)), "had that one survived, five of six would be too few"
    assert settled(measured(n=4, killed=4, limit=1)), "had that one been killed, five of five would be enough"


def survivor(end: MutantEnd) -> MutantResult:
    return MutantResult(path="impl.py", line=1, change="", diff="", end=end)


@pytest.mark.parametrize(
    "facts",
    [
        {"void": "time was over"},
        {"not_run": 1},
        {"notes": ("a container was lost",)},
        {"survivors": (survivor(MutantEnd.UNCLEAR),)},
    ],
)
def test_a_score_that_is_not_complete_does_not_last(facts: dict[str, Any]) -> None:
    assert settled(measured(survivors=(survivor(MutantEnd.SURVIVED),))) == ""
    assert settled(measured(**facts))


def stage(name: str, age_s: float | None) -> StageRecord:
    origin = KeptFrom(run_id="r", made_at=datetime.now(UTC), age_s=age_s) if age_s is not None else None
    return StageRecord(name=name, summary="", duration_s=0.1, kept=origin)


def test_the_line_names_the_stages_and_the_greatest_age() -> None:
    assert not_run_again([stage("scan", None)]) == ()
    (one,) = not_run_again([stage("scan", None), stage("verify", 7)])
    assert one.startswith("verify was not run again: nothing that decides it has changed since 7 seconds ago")
    (three,) = not_run_again([stage("verify", 7), stage("attack", 200), stage("strength", 3)])
    assert three.startswith("verify, attack and strength were not run again: nothing that decides them")
    assert "3 minutes ago (--fresh" in three
