"""Jobs of mutants, with controls that nobody can tell apart; and their results, hostile until checked."""

import json
from dataclasses import replace
from random import SystemRandom
from typing import Any

import pytest

from refute.adversary.attack import Brief, TestEnd
from refute.adversary.strength.hollow import CONTROL, FAILING, OTHERWISE, control
from refute.adversary.strength.trial import Trial, read_runs, trial_jobs, trial_limits
from refute.sandbox.job import Job
from refute.settings import Settings
from tests.refute.adversary.conftest import make_outline
from tests.refute.adversary.strength.conftest import NAMES, SOURCE, mutant
from tests.refute.adversary.test_suite import ended, report


def make_jobs(trial: Trial, brief: Brief, settings: Settings) -> list[Job]:
    outline = replace(make_outline("sha256:1", b"tar"), limits=trial_limits(settings))
    mutants = [mutant(number) for number in range(1, 6)]
    return trial_jobs(
        trial, brief, mutants, outline, settings, containers=2, requirements_root="/opt/x", chance=SystemRandom()
    )


@pytest.fixture
def jobs(trial: Trial, brief: Brief, settings: Settings) -> list[Job]:
    return make_jobs(trial, brief, settings)


def plan_of(job: Job) -> dict[str, Any]:
    plan: dict[str, Any] = json.loads(job.attack_files["plan.json"])
    return plan


def results(job: Job, **changes: Any) -> dict[str, Any]:
    plan = plan_of(job)
    reports = [report(name) for name in plan["tests"]]
    variants = [{"name": v["name"], "reports": reports, "tampering": [], "duration_s": 1.0} for v in plan["variants"]]
    honest = {"version": 1, "nonce": plan["nonce"], "first": [], "repetitions": [], "tampering": [], "output": ""}
    return honest | {"timed_out": False, "duration_s": 9.0, "variants": variants} | changes


def test_mutants_and_hollow_variants_are_shared_out_and_each_container_has_a_control_but_not_first(
    jobs: list[Job],
) -> None:
    variants = [[variant["name"] for variant in plan_of(job)["variants"]] for job in jobs]
    mutants = [[name for name in names if name.isdigit()] for names in variants]
    assert mutants == [["1", "3", "5"], ["2", "4"]]
    for names in variants:
        assert names.count(CONTROL) == 1
        assert names[0].isdigit()
        assert names[-1].isdigit(), "in the first half, so that half a run has a score"
    through = [[variant["name"] for variant in plan_of(job)["variants"] if variant.get("all_tests")] for job in jobs]
    assert sorted(map(sorted, through)) == sorted(map(sorted, ([CONTROL, FAILING], [CONTROL, OTHERWISE])))
    plan = plan_of(jobs[0])
    assert plan["tests"] == list(NAMES)
    assert (plan["repetitions"], plan["import_roots"]) == (0, [".", "../opt/x"])
    assert (plan["suite_timeout_s"], plan["longest_s"]) == (60, 180)
    assert jobs[0].limits.timeout_s > 180
    assert jobs[0].workspace == b"tar"


def test_honest_results_are_read(jobs: list[Job]) -> None:
    read = read_runs(jobs[0], ended(results(jobs[0])))
    assert (read.lost, len(read.runs)) == ("", 5)
    assert [test.end for test in read.runs[0].reports] == [TestEnd.PASSED] * 2
    cut = results(jobs[0])
    cut["variants"] = cut["variants"][:2]
    assert len(read_runs(jobs[0], ended(cut | {"timed_out": True})).runs) == 2


def wrong_test(told: dict[str, Any]) -> dict[str, Any]:
    return told | {"variants": [told["variants"][0] | {"reports": [report("test_other")]}]}


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told | {"nonce": "guessed"},
        lambda told: told | {"tampering": ["a file of results was planted"]},
        lambda told: told | {"variants": told["variants"][1:]},
        lambda told: told | {"first": [report("test_four")]},
        wrong_test,
        lambda told: told | {"variants": [told["variants"][0] | {"reports": [report("test_four")] * 2}]},
    ],
)
def test_results_that_cannot_be_the_driver_s_lose_the_container(jobs: list[Job], change: Any) -> None:
    read = read_runs(jobs[0], ended(change(results(jobs[0]))))
    assert read.lost
    assert read.runs == ()


def test_the_control_does_what_the_code_does_and_has_other_byte_code_everywhere(brief: Brief) -> None:
    source = f"from __future__ import annotations\n{SOURCE}\n\nasync def later():\n    return double(1)\n"
    brief = replace(brief, modules=(replace(brief.modules[0], source=source),))
    spaces: list[dict[str, Any]] = [{}, {}]
    for code, space in zip((source, control(brief, SystemRandom())["impl.py"]), spaces, strict=True):
        exec(compile(code, "m", "exec"), space)  # noqa: S102  # the code under test
        assert space["double"](4) == 8
    assert set(spaces[0]) == set(spaces[1])
    for name in ("double", "later"):
        plain, filled = (space[name].__code__.co_code for space in spaces)
        assert plain != filled
