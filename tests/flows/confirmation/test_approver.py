"""Only a confirmed question approves; all else is a no, and every question and answer is in the audit log."""

import json
from pathlib import Path

import pytest
from prefect.client.schemas.objects import State
from prefect.states import Cancelled, Completed

from flows.confirmation.approver import PersonApprover
from flows.confirmation.form import reply_of
from flows.confirmation.question import AskedQuestion, Reply
from refute.approval import Approval, Denial, Question
from refute.errors import RequirementsUnavailable
from refute.ports import Ports
from refute.settings import Settings
from tests.fakes.tickets import fake_question, fake_ticket

DIGEST = "sha256:" + "a" * 64
CONFIRMED = Completed(name="CONFIRMED", message="Ada")
DECLINED = Cancelled(name="DECLINED", message="Ada")

EXPIRED = Cancelled(name="EXPIRED", message="nobody answered in time")


class Form:
    """Stands for the form: answers as told and keeps what was asked."""

    def __init__(self, state: State[None]) -> None:
        self.state = state
        self.asked = []

    def __call__(self, question: AskedQuestion, timeout_s: float) -> Reply:
        self.asked.append((question, timeout_s))
        return reply_of(self.state)


@pytest.fixture
def ports(tmp_path: Path) -> Ports:
    settings = Settings(state_dir=tmp_path, audit_path=tmp_path / "audit.jsonl", form_timeout_s=77)
    return Ports(settings, "run-1")


@pytest.fixture
def by_form(monkeypatch):
    """An approver whose form is another."""

    def by_form(ports: Ports, form: Form) -> PersonApprover:
        monkeypatch.setattr("flows.confirmation.approver.put_in_ui", form)
        return PersonApprover(ports)

    return by_form


def audited(ports: Ports) -> list[tuple[str, str]]:
    lines = [json.loads(line) for line in ports.settings.audit_path.read_text().splitlines()]
    return [(line["decision"], line["metadata"]["snapshot"]) for line in lines]


def test_a_confirmed_question_approves_the_files_that_it_was_about(by_form, ports):
    form = Form(CONFIRMED)
    decision = by_form(ports, form).ask(fake_question(digest=DIGEST))
    assert decision == Approval(snapshot_digest=DIGEST, by="Ada, asked in the Prefect UI")
    ((asked, timeout_s),) = form.asked
    assert (asked.digest, timeout_s) == (DIGEST, 77)
    assert audited(ports) == [("challenge", DIGEST)]


ADA = "Ada, asked in the Prefect UI"


@pytest.mark.parametrize(
    ("state", "reason", "by"),
    [
        (DECLINED, f"declined by {ADA}", ADA),
        (Cancelled(name="DECLINED", message="Ada\nshared bucket"), f"declined by {ADA}: shared bucket", ADA),
        (EXPIRED, "nobody answered in time", ""),
        (Completed(), "the question in the Prefect UI was not answered", ""),
    ],
)
def test_all_else_is_a_no(by_form, ports, state, reason, by):
    assert by_form(ports, Form(state)).ask(fake_question(digest=DIGEST)) == Denial(reason=reason, by=by)


def test_no_two_questions_share_a_nonce(by_form, ports):
    form = Form(DECLINED)
    for _ in range(2):
        by_form(ports, form).ask(fake_question(digest=DIGEST))
    assert len({asked.nonce for asked, _ in form.asked}) == 2


def listed(count: int) -> tuple[Question, ...]:
    return tuple(fake_question(ticket=fake_ticket(ticket_id=f"T-{number}")) for number in range(count))


@pytest.fixture
def posed(monkeypatch):
    monkeypatch.setattr("refute.stages.admission.pose_question", lambda *_: fake_question(digest=DIGEST))


@pytest.mark.usefixtures("posed")
@pytest.mark.parametrize(
    ("state", "reply"),
    [
        (CONFIRMED, Reply(approved=True, by=ADA)),
        (DECLINED, Reply(approved=False, by=ADA)),
        (EXPIRED, Reply(approved=None, note="nobody answered in time")),
    ],
)
def test_one_answer_counts_for_a_list_and_without_one_it_waits_on(by_form, ports, state, reply):
    assert by_form(ports, Form(state)).ask_list(listed(2)) == reply


@pytest.mark.usefixtures("posed")
def test_of_a_long_list_it_is_said_how_much_is_not_shown(by_form, ports):
    form = Form(EXPIRED)
    by_form(ports, form).ask_list(listed(203))
    ((asked, _),) = form.asked
    assert "**NOT shown** 3 more" in asked.description()
    assert "One answer for 203 scripts" in asked.description()


def test_a_ticket_that_cannot_run_keeps_nobody_from_answering_for_the_others(by_form, ports, monkeypatch):
    def refuse(*_: object) -> None:
        raise RequirementsUnavailable("numpy is not pinned")

    monkeypatch.setattr("refute.stages.admission.pose_question", refuse)
    form = Form(CONFIRMED)
    by_form(ports, form).ask_list(listed(1))
    ((asked, _),) = form.asked
    assert "cannot run: numpy is not pinned" in asked.description()
