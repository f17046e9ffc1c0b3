import json
from dataclasses import replace
from typing import Any

import pytest

from refute.adversary.attack import AttackRun, TestEnd
from refute.adversary.suite import attack_job, attack_limits, read_attack_run
from refute.errors import SandboxFailed
from refute.sandbox.job import Exited, Job, JobResult, Limit, LimitReached, TimedOut
from refute.settings import Settings
from tests.refute.adversary.conftest import make_attack, make_brief, make_outline, make_test

NAMES = ("test_a", "test_b")


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.chdir("/")  # no refute.yaml of this checkout
    attack = make_attack("source", [make_test(name) for name in NAMES])
    return attack_job(make_outline(), make_brief().ticket, attack, Settings.load())


def plan_of(job: Job) -> dict[str, Any]:
    plan: dict[str, Any] = json.loads(job.attack_files["plan.json"])
    return plan


def report(name: str, end: str = "passed", **facts: Any) -> dict[str, Any]:
    empty = {"duration_s": 0.1, "error_type": "", "error_message": "", "traceback": "", "notes": []}
    flags = {"reached_implementation": True, "raised_in_implementation": False, "raised_on_purpose": False}
    return {"name": name, "end": end} | empty | flags | facts


def results(job: Job, **changes: Any) -> dict[str, Any]:
    honest = {
        "version": 1,
        "nonce": plan_of(job)["nonce"],
        "first": [report("test_a"), report("test_b", "failed", error_type="AssertionError")],
        "repetitions": [[report("test_b", "failed")]] * 3,
        "tampering": [],
        "output": "text",
        "timed_out": False,
        "duration_s": 1.5,
    }
    return honest | changes


def ended(content: object, end: Any = None) -> JobResult:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    collected = {} if content is None else {"results.json": data}
    return JobResult(
        end=end or Exited(code=0), stdout="out", stderr="err", duration_s=2.0, overhead_s=0.1, collected=collected
    )


def assert_worthless(run: AttackRun) -> None:
    assert run.tampering
    assert [(test.name, test.end) for test in run.first] == [(name, TestEnd.MISSING) for name in NAMES]


def test_the_job_asks_for_exactly_the_screened_tests_on_the_original_files(job: Job) -> None:
    plan = plan_of(job)
    assert plan["tests"] == list(NAMES)
    assert plan["modules"] == ["impl"]
    assert (plan["suite_timeout_s"], plan["test_timeout_s"], plan["repetitions"]) == (600, 20, 3)
    assert attack_limits(Settings.load()).timeout_s > 600
    assert (job.workspace, job.collect, job.attack_files["test_adversarial_tck_1.py"]) == (
        b"tar",
        ("results.json",),
        b"source",
    )


def test_every_job_has_a_nonce_of_its_own(job: Job) -> None:
    attack = make_attack("s", [make_test("test_a")])
    other = attack_job(make_outline(), make_brief().ticket, attack, Settings.load())
    assert plan_of(other)["nonce"] != plan_of(job)["nonce"]


def test_an_attack_without_tests_is_no_job() -> None:
    with pytest.raises(ValueError, match="no test"):
        attack_job(make_outline(), make_brief().ticket, make_attack("", []), Settings.load())


@pytest.mark.parametrize("end", [Exited(code=0), LimitReached(limit=Limit.MEMORY, detail="2 GiB", exit_code=0)])
def test_honest_results_are_read(job: Job, end: Any) -> None:
    note = "Failing test case: test_b(\n    x=1,\n)"
    content = results(job, first=[report("test_a"), report("test_b", "failed", notes=[note])])
    run = read_attack_run(job, ended(content, end))
    assert (run.tampering, run.output, run.duration_s, run.timed_out) == ((), "text", 1.5, False)
    assert [test.end for test in run.first] == [TestEnd.PASSED, TestEnd.FAILED]
    assert run.first[1].smallest_input == "x=1"
    assert [len(tests) for tests in run.repetitions] == [1, 1, 1]


@pytest.mark.parametrize(
    "changes",
    [
        {"nonce": "guessed"},
        {"version": 2},
        {"version": "1"},
        {"first": []},
        {"first": [report("test_a"), report("test_a")]},
        {"first": [report("test_b"), report("test_a")]},
        {"first": [report("test_a"), report("test_b"), report("test_c")]},
        {"first": [report("test_a"), report("test_b", "splendid")]},
        {"first": [report("test_a"), report("test_b", duration_s=-1)]},
        {"first": [report("test_a"), report("test_b") | {"extra": 1}]},
        {"repetitions": [[report("test_a")]]},
        {"repetitions": [[report("test_b"), report("test_b")]]},
        {"repetitions": [[]]},
        {"timed_out": "no"},
        {"tampering": None},
        {"output": "x" * 2_000_000},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_results_that_contradict_what_was_asked_are_tampering(job: Job, changes: dict[str, Any]) -> None:
    assert_worthless(read_attack_run(job, ended(results(job, **changes))))


@pytest.mark.parametrize("content", [None, b"", b"{", b"null", b"[" * 10_000, b"\xff", b" " * 21_000_000])
def test_missing_and_malformed_results_are_tampering(job: Job, content: bytes | None) -> None:
    assert_worthless(read_attack_run(job, ended(content)))


@pytest.mark.parametrize(
    "end",
    [
        Exited(code=137),
        Exited(code=1),
        TimedOut(limit_s=615),
        LimitReached(limit=Limit.OUTPUT, detail="10 MiB", exit_code=None),
        LimitReached(limit=Limit.MEMORY, detail="2 GiB", exit_code=137),
    ],
)
def test_results_of_a_driver_that_was_ended_from_outside_are_not_believed(job: Job, end: Any) -> None:
    assert_worthless(read_attack_run(job, ended(results(job), end)))


def test_a_driver_that_cannot_start_a_worker_says_nothing_about_the_code(job: Job) -> None:
    with pytest.raises(SandboxFailed, match="could not start"):
        read_attack_run(job, ended(None, Exited(code=70)))


def test_a_run_in_which_every_test_skipped_is_suspicious(job: Job) -> None:
    skipped = [report("test_a", "skipped"), report("test_b", "skipped")]
    again = [[report("test_a", "skipped"), report("test_b", "skipped")]] * 3
    run = read_attack_run(job, ended(results(job, first=skipped, repetitions=again)))
    assert run.tampering == ("every test was skipped",)


def test_tampering_that_the_driver_saw_is_kept(job: Job) -> None:
    run = read_attack_run(job, ended(results(job, tampering=["a canary lied"])))
    assert run.tampering == ("a canary lied",)


def test_the_drivers_output_stands_in_for_missing_results(job: Job) -> None:
    assert read_attack_run(job, replace(ended(None), stdout="left")).output == "lefterr"
