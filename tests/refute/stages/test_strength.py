"""The strength stage with a sandbox that answers what it is told; no engine is asked."""

import itertools
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from refute.adversary.attack import Screening, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.judgement.conclusions import claim_results
from refute.adversary.strength.hollow import CONTROL, FAILING, OTHERWISE
from refute.errors import EngineDied
from refute.sandbox.connection import EngineFacts
from refute.sandbox.job import Job, JobResult
from refute.stages.admission import take_snapshot
from refute.stages.brief import brief_of
from refute.stages.evidence import AttackStage, Evidence, StrengthStage, Triage
from refute.stages.strength import measure_strength
from tests.fakes.jobs import FACTS
from tests.refute.adversary.conftest import make_attack, make_attack_run, make_run, make_test
from tests.refute.adversary.test_suite import ended, report
from tests.refute.stages.conftest import ports_and_ticket

SOURCE = "def double(x):\n    if x == 0:\n        return 0\n    return 2 * x\n"
TESTS = "def test_a():\n    import impl\n    assert impl.double(2) == 4\n"
Answer = Callable[[str], dict[str, Any]]


def killed(_: str) -> dict[str, Any]:
    return report("test_a", "failed", error_type="AssertionError")


def survived(_: str) -> dict[str, Any]:
    return report("test_a")


class ToldSandbox:
    """Answers every mutant as told; controls pass, what is hollow is noticed, unless told otherwise."""

    hollow: Answer = staticmethod(killed)

    def __init__(self, answer: Answer, error: Exception | None = None) -> None:
        self.jobs: list[Job] = []
        self.stopped = False
        self._answer = answer
        self._error = error
        self._lock = threading.Lock()

    def run(self, job: Job) -> JobResult:
        with self._lock:
            self.jobs.append(job)
        if self._error is not None:
            raise self._error
        plan = json.loads(job.attack_files["plan.json"])
        told = {"version": 1, "nonce": plan["nonce"], "first": [], "repetitions": [], "tampering": [], "output": ""}
        told |= {"timed_out": False, "duration_s": 3.0}
        if "variants" not in plan:
            lines = list(range(1, 1_000))  # whichever it is that asserts
            reports = [report(name, attested=True, asserted_lines=lines) for name in plan["tests"]]
            return ended(told | {"first": reports})
        variants = []
        for variant in plan["variants"]:
            last = self._last(variant["name"])
            passed = [report(name) for name in plan["tests"]]
            before = list(itertools.takewhile(lambda one, end=last["name"]: one["name"] != end, passed))
            reports = passed if last["end"] == "passed" else [*before, last]
            variants.append({"name": variant["name"], "reports": reports, "tampering": [], "duration_s": 0.5})
        return ended(told | {"variants": variants})

    def _last(self, name: str) -> dict[str, Any]:
        if name == CONTROL:
            return survived(name)
        return self.hollow(name) if name in {FAILING, OTHERWISE} else self._answer(name)

    def stop_running(self) -> None:
        self.stopped = True

    def facts(self) -> EngineFacts:
        return FACTS


class World:
    """A ticket of one claim that survived one independent, attested test."""

    def __init__(self, folder: Path, sandbox: ToldSandbox, **options: Any) -> None:
        code, claims = options.pop("code", SOURCE), ["double(x) returns twice its argument."]
        self.ports, self.ticket = ports_and_ticket(folder, sandbox, code=code, claims=claims, **options)
        self.snapshot = take_snapshot(self.ports, self.ticket)

    def measure(self, verdict: TriageVerdict = TriageVerdict.SURVIVED) -> StrengthStage:
        return measure_strength(self.ports, self.ticket, self.snapshot, self.evidence(verdict))

    def evidence(self, verdict: TriageVerdict = TriageVerdict.SURVIVED) -> Evidence:
        attack = make_attack(TESTS, [make_test("test_a")])
        screening = Screening(attack=attack, rejected=())
        run = make_run("test_a", TestEnd.PASSED, attested=True)
        triaged = (TriagedTest(test=attack.tests[0], verdict=verdict, reason="", run=run),)
        claims = claim_results(brief_of(self.ports, self.ticket, self.snapshot), triaged, screening, tampering=())
        return Evidence(
            screening=screening,
            attacked=AttackStage(run=make_attack_run([run]), result=None, summary=""),
            triage=Triage(triaged=triaged, claims=claims),
        )


def test_an_attack_is_scored_by_mutants_in_two_containers_side_by_side(tmp_path: Path) -> None:
    sandbox = ToldSandbox(lambda name: killed(name) if int(name) % 2 else survived(name))
    stage = World(tmp_path / "t", sandbox, mutants=6).measure()
    assert (stage.strength.n, stage.strength.killed, stage.sandbox_s) == (6, 3, 4.0)
    assert len(stage.strength.survivors) == 3
    assert stage.strength.survivors[0].diff.startswith("--- impl.py")
    told = "the attack is too weak: 3 of 6 mutants killed (double), at least 33% with 90% confidence, floor 60%"
    assert stage.summary == told
    assert {job.name for job in sandbox.jobs} == {"strength"}
    assert len(sandbox.jobs) == 2


def test_a_claim_whose_test_hollow_code_passes_is_named_however_strong_the_attack(tmp_path: Path) -> None:
    sandbox = ToldSandbox(killed)
    sandbox.hollow = lambda name: survived(name) if name == OTHERWISE else killed(name)
    stage = World(tmp_path / "t", sandbox, mutants=6).measure()
    assert (stage.strength.reaches_floor, stage.strength.suffices) == (True, False)
    assert [one.claim_id for one in stage.strength.shallow] == ["C1"]
    assert stage.summary.endswith(f"; the attack on C1 is too weak: its tests pass also where {OTHERWISE}")


def test_the_sample_is_the_same_each_time_and_never_of_what_the_code_was(tmp_path: Path) -> None:
    samples = []
    for name in ("a", "b"):
        sandbox = ToldSandbox(killed)
        World(tmp_path / name, sandbox, mutants=4).measure()
        plans = [json.loads(job.attack_files["plan.json"]) for job in sandbox.jobs]
        sources = [v["files"]["impl.py"] for plan in plans for v in plan["variants"] if v["name"].isdigit()]
        samples.append(sorted(sources))
        assert SOURCE.strip() not in [source.strip() for source in sources]
    assert samples[0] == samples[1]


@pytest.mark.parametrize("verdict", [TriageVerdict.REFUTED, TriageVerdict.NEEDS_REVIEW, TriageVerdict.INVALID])
def test_where_the_ticket_cannot_pass_nothing_is_run(tmp_path: Path, verdict: TriageVerdict) -> None:
    sandbox = ToldSandbox(killed)
    stage = World(tmp_path / "t", sandbox).measure(verdict)
    assert (stage.strength, sandbox.jobs) == (None, [])


def test_code_that_is_too_large_for_its_mutants_gets_no_score(tmp_path: Path) -> None:
    sandbox = ToldSandbox(killed)
    world = World(tmp_path / "t", sandbox, code=SOURCE + "NUMBERS = '" + "9" * 3_500_000 + "'\n")
    stage = world.measure()
    assert "too large" in stage.strength.void
    assert sandbox.jobs == []


def test_an_engine_that_dies_is_infrastructure_and_leaves_no_job_running(tmp_path: Path) -> None:
    sandbox = ToldSandbox(killed, EngineDied("gone", hint="start it"))
    with pytest.raises(EngineDied):
        World(tmp_path / "t", sandbox).measure()
    assert sandbox.stopped
