"""Who answers for a batch: once for the list, bound to the files on it, and never for what its scan blocks."""

import pytest

from flows.batch.answers import list_digest, put_to_a_person
from flows.confirmation.approver import PersonApprover
from flows.confirmation.question import Reply
from flows.console import Console, attached
from refute.approval import Question
from refute.guardrails.audit_chain import verify_chain
from refute.ledger.batches import Answer
from refute.ports import Ports

DANGEROUS = "rm -rf /\n"


class Person:
    """Answers as told, and remembers the list."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.listed: tuple[Question, ...] = ()

    def __call__(self, listed: tuple[Question, ...]) -> Reply:
        self.listed = listed
        return self.reply


@pytest.fixture
def listed(write, batch, tmp_path):
    write("A")
    write("B", script=DANGEROUS)
    write("C")
    (tmp_path / "tickets" / "D").mkdir()
    (tmp_path / "tickets" / "D" / "ticket.yaml").write_text("id: '../x'\n")
    return batch()


def ask(batch, person) -> dict[str, tuple[Answer, str]]:
    put_to_a_person(batch.batches, Ports(batch.settings, run_id="b"), batch.entries, person)
    return {ticket.ticket_id: (ticket.answer, ticket.answered_by) for ticket in batch.batches.tickets("b")}


def test_a_danger_that_the_allow_file_lets_through_is_on_the_list_and_counted(
    write, batch, tmp_path, monkeypatch, capsys
):
    write("B", script=DANGEROUS)
    allow_file = tmp_path / "allow.yaml"
    allow_file.write_text("- rule: delete-outside\n  path: verify.sh\n  reason: reviewed by Ada\n")
    opened = batch()
    opened.settings = opened.settings.model_copy(update={"scan_allow_file": allow_file})
    monkeypatch.setattr("flows.terminal.asking.read_line", lambda _: "y")
    ports = Ports(opened.settings, run_id="b")
    with attached(Console(api_url="")):
        put_to_a_person(opened.batches, ports, opened.entries, PersonApprover(ports).ask_list)
    answers = {row.ticket_id: row.answered_by for row in opened.batches.tickets("b")}
    assert answers["B"].startswith("person at the terminal")
    shown = capsys.readouterr().err
    assert "1 finding, 1 allowed" in " ".join(shown.split())
    assert "Run these 1 script in the sandbox" not in shown


def test_without_an_answer_the_tickets_wait_and_the_others_go_on(listed):
    answers = ask(listed, Person(Reply(approved=None)))
    assert answers["A"][0] is answers["C"][0] is Answer.WAITING
    assert answers["B"][0] is Answer.APPROVED


def test_the_answer_is_audited_with_the_digest_of_the_list(listed):
    person = Person(Reply(approved=True, by="Ada"))
    ask(listed, person)
    assert list_digest(person.listed) in listed.settings.audit_path.read_text()
    assert verify_chain(listed.settings.audit_path).intact


def test_the_digest_of_a_list_depends_on_its_files_and_not_on_its_order(listed, write):
    person = Person(Reply(approved=None))
    ask(listed, person)
    before = list_digest(person.listed)
    assert list_digest(person.listed[::-1]) == before
    write("A", script="echo other\n")
    ask(listed, person)
    assert list_digest(person.listed) != before
