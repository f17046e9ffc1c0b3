"""The executing stages take over what an earlier run came to, where nothing that decides it has changed."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from refute.adversary.attack import Origin, Screening
from refute.approval import Answered, Confirmation
from refute.case import CaseFile
from refute.closing import close
from refute.outcome import Provenance
from refute.sandbox.job import Exited, Job, JobResult
from refute.sandbox.network_hosts import read_hosts
from refute.stages.evidence import Evidence
from refute.stages.prefetch import prepare_verification
from refute.stages.strength import measure_strength
from refute.stages.trial import run_attack, run_verification, triage_tests
from reports.outcome_formats import FORMATS, render, render_batch
from tests.fakes.stages import Remembering
from tests.fakes.tickets import fake_ticket
from tests.refute.adversary.conftest import make_attack, make_test
from tests.refute.adversary.test_suite import ended, report
from tests.refute.stages.test_strength import SOURCE, TESTS, Answer, ToldSandbox, World, killed, survived


class CountingSandbox(ToldSandbox):
    """Also runs verifications, and remembers what was prepared."""

    def __init__(self, answer: Answer = killed, *, exit_code: int = 0, first: str = "passed") -> None:
        super().__init__(answer)
        self.exit_code = exit_code
        self.first = first
        self.prepared: list[str] = []

    def run(self, job: Job) -> JobResult:
        if job.name == "verify":
            self.jobs.append(job)
            return JobResult(end=Exited(code=self.exit_code), stdout="v", stderr="", duration_s=4.0, overhead_s=0.1)
        result = super().run(job)
        if job.name == "attack" and self.first != "passed":
            told = json.loads(result.collected["results.json"])
            told["first"] = [report(name, self.first) for name in json.loads(job.attack_files["plan.json"])["tests"]]
            told["repetitions"] = [told["first"]] * 3
            return ended(told)
        return result

    def prepare(self, job: Job, *, waiting_s: float = 0) -> None:
        self.prepared.append(job.name)

    def discard_prepared(self) -> None:
        pass

    def unenforced(self, image_id: str) -> tuple[str, ...]:
        return ()


class Repeated:
    """One ticket, verified again and again with the same state directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.code = SOURCE
        self.attack = TESTS
        self.runs = 0
        self.kept: dict[str, str] = {}

    def again(self, sandbox: CountingSandbox, *, hosts: tuple[str, ...] = (), **options: Any) -> "Seen":
        """Another run; keyword arguments are settings."""
        self.runs += 1
        home = self.folder / f"run-{self.runs}"
        settings = {"mutants": 6, "state_dir": self.folder / "state", "code": self.code, **options}
        world = World(home, sandbox, **settings)
        world.ports.allowed_hosts = read_hosts(hosts)
        world.ports.run_id = f"run-{self.runs}"
        fresh = world.ports.settings.fresh
        world.ports.__dict__["stages"] = Remembering(self.kept, run_id=world.ports.run_id, fresh=fresh)
        return Seen(world, sandbox, self.attack)


class Seen:
    """What the stages of one run returned."""

    def __init__(self, world: World, sandbox: CountingSandbox, tests: str) -> None:
        ports, ticket, snapshot = world.ports, world.ticket, world.snapshot
        prepare_verification(ports, ticket, snapshot)
        answer = {"answer": Answered.CONFIRMED, "by": "me", "note": "", "snapshot_digest": snapshot.digest}
        confirmation = Confirmation(**answer, asked_at=None, answered_at=datetime.now(UTC))
        self.verification = run_verification(ports, ticket, snapshot, confirmation)
        test = make_test("test_a", origin=Origin.PHRASE)  # about which nobody votes
        screening = Screening(attack=make_attack(tests, [test]), rejected=())
        self.attacked = run_attack(ports, ticket, snapshot, screening)
        self.triage = triage_tests(ports, ticket, snapshot, screening, self.attacked)
        evidence = Evidence(screening=screening, attacked=self.attacked, triage=self.triage)
        self.measured = measure_strength(ports, ticket, snapshot, evidence)
        self.jobs = [job.name for job in sandbox.jobs]
        self.kept = {
            name: stage.kept.run_id if stage.kept else None
            for name, stage in (("verify", self.verification), ("attack", self.attacked), ("strength", self.measured))
        }


ALL = ["verify", "attack", "strength", "strength"]
KEPT = dict.fromkeys(("verify", "attack", "strength"), "run-1")
NONE = dict.fromkeys(KEPT)


@pytest.fixture
def ticket(tmp_path: Path) -> Repeated:
    """A ticket that passes, and whose attack notices every other mutant."""
    return Repeated(tmp_path)


def half(name: str) -> dict[str, Any]:
    return killed(name) if int(name) % 2 else survived(name)


def test_another_attack_or_other_limits_of_it_run_again_without_the_verification(ticket: Repeated) -> None:
    ticket.again(CountingSandbox())
    ticket.attack = TESTS.replace("2) == 4", "3) == 6")
    assert ticket.again(CountingSandbox()).jobs == ALL[1:]
    assert ticket.again(CountingSandbox(), attack_timeout_s=99).jobs == ALL[1:2]
    assert ticket.again(CountingSandbox(), repetitions=5).jobs == ALL[1:2]


def test_other_mutants_run_again_alone(ticket: Repeated) -> None:
    ticket.again(CountingSandbox())
    assert ticket.again(CountingSandbox(), mutants=5).jobs == ALL[2:]
    assert ticket.again(CountingSandbox(), mutation_timeout_s=99).jobs == ALL[2:]


def test_a_verification_that_failed_runs_again(ticket: Repeated) -> None:
    ticket.again(CountingSandbox(exit_code=1))
    assert ticket.again(CountingSandbox(exit_code=1)).jobs[0] == "verify"


def test_a_refutation_that_was_the_same_each_time_stands(ticket: Repeated) -> None:
    first = ticket.again(CountingSandbox(first="failed"))
    again = ticket.again(CountingSandbox())
    assert again.jobs == []
    assert again.triage == first.triage


@pytest.mark.parametrize("end", ["timed_out", "died"])
def test_what_a_limit_ended_runs_again(ticket: Repeated, end: str) -> None:
    ticket.again(CountingSandbox(first=end))
    assert "attack" in ticket.again(CountingSandbox(first=end)).jobs


def test_with_hosts_allowed_nothing_is_kept_and_nothing_stands(ticket: Repeated) -> None:
    ticket.again(CountingSandbox(), hosts=("example.org",))
    assert ticket.again(CountingSandbox()).jobs == ALL
    assert ticket.again(CountingSandbox(), hosts=("example.org",)).jobs == ALL


def test_code_that_reads_the_clock_is_attacked_each_time(ticket: Repeated) -> None:
    ticket.code = "import time\n" + SOURCE
    ticket.again(CountingSandbox())
    assert ticket.again(CountingSandbox()).jobs == ALL[1:]


def test_mutants_that_hung_and_might_decide_run_again(ticket: Repeated) -> None:
    def one_hangs(name: str) -> dict[str, Any]:
        return report("test_a", "timed_out") if name == "1" else killed(name)

    assert ticket.again(CountingSandbox(one_hangs), strength_floor=0.8).kept == NONE
    assert ticket.again(CountingSandbox(one_hangs), strength_floor=0.8).jobs == ALL[2:]
    assert ticket.again(CountingSandbox(one_hangs), strength_floor=0.3).jobs == ALL[2:]
    assert ticket.again(CountingSandbox(one_hangs), strength_floor=0.3).jobs == []


def test_the_audit_log_names_the_run_that_a_gate_rests_on(ticket: Repeated) -> None:
    ticket.again(CountingSandbox())
    ticket.again(CountingSandbox())
    lines = [json.loads(line) for line in (ticket.folder / "run-2" / "audit.jsonl").read_text().splitlines()]
    told = {line["gate"]: line["metadata"].get("not_run_again", "") for line in lines}
    assert told["verification"].startswith("as in run run-1 at 20")
    assert told["attack"].startswith("as in run run-1 at 20")


def test_an_outcome_says_what_was_not_run_again_and_how_old_that_is(ticket: Repeated) -> None:
    ticket.again(CountingSandbox())
    seen = ticket.again(CountingSandbox())
    case = CaseFile(ticket=fake_ticket(), run_id="run-2")
    for record in (seen.verification, seen.attacked, seen.measured):
        case.keep(record)
    outcome = close(case, Provenance(refute_version="1", tester="property"))
    assert [stage.kept.run_id for stage in outcome.stages if stage.kept] == ["run-1"] * 3
    assert all("not run again: as" in stage.summary for stage in outcome.stages)
    assert (outcome.cost_usd, sum(stage.sandbox_s for stage in outcome.stages)) == (0, 0.0)
    told = "verify, attack and strength were not run again: nothing that decides them has changed"
    assert outcome.caveats[0].startswith(told)
    for form in FORMATS:
        assert "not run again" in " ".join(render(outcome, form).split()).replace("_", " "), form
    for table in (render(outcome, "table"), render_batch([outcome], width=200)):
        assert "reused results from" in table
        assert "partly" not in table
