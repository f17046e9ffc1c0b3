from dataclasses import replace
from pathlib import Path

import pytest

from refute.adversary.attack import Attack
from refute.approval import IN_ADVANCE, AdvanceApprover, Approval, Denial
from refute.case import CaseFile
from refute.closing import close, local_servers
from refute.critics.judging import Judgement
from refute.errors import EngineDied, SnapshotRefused
from refute.outcome import Provenance, Status, Stop
from refute.sandbox.job import Exited, JobResult
from refute.scan.finding import ScanResult
from refute.stages.evidence import Critique, Verification, Writing
from refute.ticket.record import LeftOut, Snapshot, SnapshotFile
from refute.verdict import Verdict
from tests.fakes.outcomes import fake_use
from tests.fakes.tickets import DANGER, fake_question, fake_ticket

PROVENANCE = Provenance(refute_version="1", tester="property")


def case() -> CaseFile:
    return CaseFile(ticket=fake_ticket(ticket_id="T-1", labels=("core",)), run_id="run")


SNAPSHOT = Snapshot(
    digest="sha256:1",
    files=(SnapshotFile(path="a.py", sha256="0", size_bytes=1_200),),
    archive=Path("/a"),
    left_out=(LeftOut(path=".env", reason="credentials"),),
)


def test_what_stages_return_becomes_the_outcome():
    one = case()
    with one.chain():
        assert one.keep(SNAPSHOT) is SNAPSHOT
        one.keep(ScanResult(findings=(), scanned=("verify.sh",)))
        one.keep(Verdict(status=Status.PASS_WEAK, reason="weak", caveats=("c",)))
    outcome = close(one, PROVENANCE)
    assert (outcome.status, outcome.reason, outcome.caveats) == (Status.PASS_WEAK, "weak", ("c",))
    assert [stage.name for stage in outcome.stages] == ["snapshot", "scan", "verdict"]
    assert outcome.stages[0].summary == "1 file, 1,200 bytes, 1 left out"
    assert outcome.left_out == SNAPSHOT.left_out
    assert outcome.labels == ("core",)


def test_a_key_that_a_script_printed_is_not_in_the_outcome():
    printed = "token = abc, key AKIAIOSFODNN7EXAMPLE"
    result = JobResult(end=Exited(code=0), stdout=printed, stderr=printed, duration_s=0, overhead_s=0)
    one = case()
    with one.chain():
        one.keep(Verification(result=result, summary="exit code 0"))
    outcome = close(one, PROVENANCE)
    assert outcome.verification_output == outcome.verification_stderr == "token = abc, key [redacted]"


def test_a_server_of_this_machine_that_answered_is_marked():
    use = fake_use()
    local = replace(use, local_server="http://127.0.0.1:1")
    one = case()
    attack = Attack(file_name="t.py", tests=(), source="", untestable=(), tester="gemini")
    with one.chain():
        one.keep(Writing(attack=attack, cost_usd=None, models=(use, local)))
    outcome = close(one, PROVENANCE)
    assert local_servers(one) == ("http://127.0.0.1:1",)
    assert [told.local_server for told in outcome.models] == ["", "http://127.0.0.1:1"]
    assert "a server of this machine, http://127.0.0.1:1, answered, not Gemini" in outcome.caveats


def test_a_stop_ends_the_chain_and_decides_the_status():
    one = case()
    with one.chain():
        one.keep(Stop(status=Status.CANCELLED, reason="no"))
        pytest.fail("the chain went on")
    assert close(one, PROVENANCE).status is Status.CANCELLED


def test_what_a_critic_s_test_made_the_code_destroy_ends_the_ticket():
    one = case()
    stop = Stop(status=Status.BLOCKED_DANGEROUS_OPERATION, reason="a canary file is gone")
    with one.chain():
        one.keep(Critique(reviews=(), judgement=Judgement(status=None), stop=stop))
        pytest.fail("the chain went on")
    assert close(one, PROVENANCE).status is Status.BLOCKED_DANGEROUS_OPERATION


@pytest.mark.parametrize("error", [EngineDied("gone", hint="start it"), KeyError("a fault of ours")])
def test_infrastructure_and_internal_errors_are_error_and_never_a_verdict(error):
    one = case()
    with one.chain():
        raise error
    outcome = close(one, PROVENANCE)
    assert outcome.status is Status.ERROR
    assert str(error.args[0]) in outcome.reason


def test_an_interruption_is_recorded_as_cancelled():
    one = case()
    with one.chain():
        raise KeyboardInterrupt
    assert close(one, PROVENANCE).status is Status.CANCELLED


def test_faults_of_the_ticket_pass_through():
    with pytest.raises(SnapshotRefused), case().chain():
        raise SnapshotRefused("link out")


def test_a_chain_that_ends_without_a_verdict_fails_closed():
    one = case()
    with one.chain():
        one.keep(SNAPSHOT)
    assert close(one, PROVENANCE).status is Status.ERROR


def test_yes_in_advance_approves_exactly_the_snapshot_that_was_asked_about():
    approval = Approval(snapshot_digest="sha256:1", by="--yes", beforehand=IN_ADVANCE)
    assert AdvanceApprover(by="--yes").ask(fake_question()) == approval


def test_yes_in_advance_never_covers_a_blocking_finding():
    decision = AdvanceApprover(by="--yes").ask(fake_question(DANGER))
    assert isinstance(decision, Denial)
    assert "sh.rm" in decision.reason
