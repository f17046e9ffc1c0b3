from pathlib import Path

from refute.approval import IN_ADVANCE, AdvanceApprover, Approval, Denial, Question
from refute.scan.finding import Confidence, Finding, ScanResult, Severity
from refute.ticket.record import Snapshot
from tests.fakes.tickets import fake_ticket

TICKET = fake_ticket()


def finding(severity: Severity) -> Finding:
    return Finding(
        rule_id="sh.rm",
        path="verify.sh",
        line=2,
        column=1,
        severity=severity,
        confidence=Confidence.HIGH,
        matched="rm -rf /",
        command="rm -rf /",
        explanation="deletes outside the workspace",
        remedy="delete below the workspace only",
    )


def question(*findings: Finding) -> Question:
    return Question(
        ticket=TICKET,
        snapshot=Snapshot(digest="sha256:1", files=(), archive=Path("/a")),
        script="true",
        scan=ScanResult(findings=findings, scanned=("verify.sh",)),
        plan=(),
        timeout_s=1,
    )


def test_yes_in_advance_approves_exactly_the_snapshot_that_was_asked_about():
    approval = Approval(snapshot_digest="sha256:1", by="--yes", beforehand=IN_ADVANCE)
    assert AdvanceApprover(by="--yes").ask(question()) == approval


def test_yes_in_advance_covers_what_does_not_block():
    assert isinstance(AdvanceApprover(by="--yes").ask(question(finding(Severity.MEDIUM))), Approval)


def test_yes_in_advance_never_covers_a_blocking_finding():
    decision = AdvanceApprover(by="--yes").ask(question(finding(Severity.HIGH)))
    assert isinstance(decision, Denial)
    assert "sh.rm" in decision.reason
