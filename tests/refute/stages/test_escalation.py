"""A person upholds or dismisses what no test shows; silence leaves it open, and a rework never changes a verdict."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from refute.approval import Approval, Decision, Denial, Question
from refute.critics.focus import BlockOn, CriticsSettings, Focus
from refute.critics.judging import judge
from refute.critics.record import Review, ReviewFailure, Rework, ReworkEnd, Severity, Standing, verdict_of
from refute.outcome import Status
from refute.stages.escalation import escalate
from refute.stages.evidence import Critique, Reworking
from tests.fakes.tickets import fake_question

FILES = "sha256:1"
GRAVE = ReviewFailure(severity=Severity.CRITICAL, description="a secret is logged", evidence="impl.py:1")
PASSED = Rework(round=2, end=ReworkEnd.PASSED_REVIEW, reason="", diff="/evidence/rework-2.diff")


@dataclass
class Asked:
    """Answers one question, and keeps it; as the audit log, keeps what is recorded."""

    decision: Decision
    questions: list[Question] = field(default_factory=list)
    lines: list[tuple[str, str, str]] = field(default_factory=list)

    def ask(self, question: Question) -> Decision:
        self.questions.append(question)
        return self.decision

    def record(self, gate: str, decision: str, *, run_id: str, reason: str, metadata: dict[str, Any]) -> None:
        del run_id, metadata
        self.lines.append((gate, decision, reason))


def critique(*failures: ReviewFailure) -> Critique:
    review = Review(critic_id="c-1", focus=Focus.SECURITY, verdict=verdict_of(failures), failures=failures)
    return Critique(reviews=(review,), judgement=judge((review,), block_on=BlockOn.CONFIRMED, defaults=()))


def judged(asked: Asked, said: Critique, *reworks: Rework, decided: bool = False):
    question = fake_question(digest=FILES)
    ports = SimpleNamespace(
        run_id="run", audit=asked, settings=SimpleNamespace(critics=CriticsSettings(focus_areas=()))
    )
    return escalate(ports, question, asked, said, Reworking(reworks=reworks), decided=decided)


@pytest.mark.parametrize(
    ("decision", "status", "standing", "audited"),
    [
        (Approval(snapshot_digest=FILES, by="Ada", note="by design"), None, Standing.DISMISSED, "allow"),
        (Denial(reason="upheld by Ada: real", by="Ada"), Status.FAILED_REVIEW, Standing.UPHELD, "deny"),
        (Denial(reason="nobody answered"), Status.INCONCLUSIVE, Standing.UNCONFIRMED, "deny"),
        (Approval(snapshot_digest="sha256:2", by="Eve"), Status.INCONCLUSIVE, Standing.UNCONFIRMED, "deny"),
    ],
)
def test_an_answer_decides_and_is_audited(decision, status, standing, audited):
    asked = Asked(decision)
    found = judged(asked, critique(GRAVE))
    judgement = found.critique.judgement
    assert judgement.status is status
    assert found.critique.reviews[0].failures[0].standing is standing
    ((gate, said, reason),) = asked.lines
    assert (gate, said) == ("review", audited)
    told = (judgement.reason, *judgement.caveats)
    assert any(reason in one for one in told)
    assert asked.questions[0].opinions == ("security, critical: a secret is logged [impl.py:1] ()",)


@pytest.mark.parametrize(
    ("failure", "decided"),
    [
        (replace(GRAVE, standing=Standing.CONFIRMED), False),
        (replace(GRAVE, severity=Severity.MAJOR), False),
        (GRAVE, True),
    ],
)
def test_nobody_is_asked_about_what_is_shown_is_no_question_or_changes_nothing(failure, decided):
    asked = Asked(Denial(reason="nobody"))
    assert judged(asked, critique(failure), decided=decided).summary == ""
    assert asked.questions == []


@pytest.mark.parametrize("standing", [Standing.CONFIRMED, Standing.UNCONFIRMED])
def test_a_rework_that_passes_its_review_leaves_the_verdict_as_it_was(standing):
    asked, said = Asked(Denial(reason="nobody")), critique(replace(GRAVE, standing=standing))
    judgement = judged(asked, said, PASSED).critique.judgement
    assert judgement.status is said.judgement.status
    assert judgement.reason.endswith("apply /evidence/rework-2.diff and verify again")
