"""One ticket of a batch: what is recorded, and what is not because it would say nothing about the ticket."""

from dataclasses import replace
from datetime import timedelta

import pytest

from flows.batch import ticket as ticket_module
from flows.batch.answers import approve_in_advance
from flows.batch.ticket import TicketWork, run_as_task
from refute.batch.allowance import Allowance
from refute.errors import LedgerUnavailable
from refute.ledger.batches import Answer
from refute.outcome import Status
from tests.fakes.outcomes import fake_outcome


@pytest.fixture
def claimed(write, desk):
    """A desk with one dangerous ticket, so that no container is needed for its outcome; and the claim."""
    write("A", script="rm -rf /\n")
    opened = desk()
    approve_in_advance(opened.batches, "b", opened.entries, by="--yes")
    return opened, opened.leases.claim("b", opened.owner)


def statuses(desk) -> list[Status]:
    return [outcome.status for outcome in desk.ledger.outcomes(run_id="b")]


def test_a_ticket_is_recorded_counted_and_finished(claimed):
    desk, claim = claimed
    outcome = TicketWork(desk, claim).run()
    assert outcome is not None
    assert statuses(desk) == [Status.BLOCKED_DANGEROUS_SCRIPT]
    assert desk.tally.done == 1
    assert desk.watcher.ended_ids == ["A"]
    assert desk.batches.tickets("b")[0].finished


def test_a_server_that_is_gone_is_not_asked_to_show_what_is_recorded(claimed, shown, monkeypatch):
    monkeypatch.setattr(ticket_module, "still_answers", lambda: False)
    desk, claim = claimed
    assert TicketWork(desk, claim).run() is not None
    assert statuses(desk) == [Status.BLOCKED_DANGEROUS_SCRIPT]
    assert shown == []
    assert desk.watcher.lines == ["A: no artifact in Prefect (its server does not answer)"]


def test_what_prefect_has_against_an_artifact_is_told_and_the_outcome_stands(claimed, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError("too large")

    monkeypatch.setattr(ticket_module, "show_outcome", refuse)
    desk, claim = claimed
    assert TicketWork(desk, claim).run() is not None
    assert desk.watcher.lines == ["A: no artifact in Prefect (OSError)"]


def test_what_other_processes_record_counts_too_each_ticket_once(write, desk):
    for name in "ABC":
        write(name, script="rm -rf /\n")
    opened = desk()
    approve_in_advance(opened.batches, "b", opened.entries, by="--yes")
    assert opened.leases.claim("b", "other").ticket_id == "A"
    mine = opened.leases.claim("b", opened.owner)
    assert opened.leases.record(fake_outcome("A", run_id="b", status=Status.FAILED_IMPORT), "other")
    TicketWork(opened, mine).run()
    assert opened.tally.counts == {Status.FAILED_IMPORT: 1, Status.BLOCKED_DANGEROUS_SCRIPT: 1}
    assert opened.leases.claim("b", "other").ticket_id == "C"
    assert opened.leases.record(fake_outcome("C", run_id="b", status=Status.PASS), "other")
    opened.catch_up(from_the_first=True)
    assert (opened.tally.done, opened.tally.counts[Status.PASS]) == (3, 1)


def test_a_ticket_that_was_taken_over_is_neither_recorded_nor_counted(claimed):
    desk, claim = claimed
    desk.leases.release("b", desk.owner)
    assert TicketWork(desk, claim).run() is None
    assert statuses(desk) == []
    assert desk.tally.done == 0


def test_a_ticket_of_a_batch_that_was_ended_midway_is_not_recorded(claimed):
    desk, claim = claimed
    desk.slots.stop()
    assert TicketWork(desk, claim).run() is None
    assert statuses(desk) == []


def test_files_changed_since_the_approval_wait_for_a_new_one(write, desk):
    write("A")
    opened = desk()
    opened.batches.answer("b", Answer.APPROVED, by="Ada", digests={"A": "sha256:of-other-files"})
    claim = opened.leases.claim("b", opened.owner)
    assert TicketWork(opened, claim).run() is None
    (ticket,) = opened.batches.tickets("b")
    assert ticket.answer is Answer.WAITING
    assert ticket.digest.startswith("sha256:")
    assert ticket.digest != "sha256:of-other-files"
    assert "changed since the approval" in opened.watcher.lines[0]


def test_a_declined_ticket_is_cancelled_by_name(write, desk):
    write("A")
    opened = desk()
    opened.batches.answer("b", Answer.DECLINED, by="Ada", digests={"A": None})
    outcome = TicketWork(opened, opened.leases.claim("b", opened.owner)).run()
    assert outcome.status is Status.CANCELLED
    assert "Ada" in outcome.reason


def test_a_ticket_file_with_faults_is_an_error_with_these(write, desk, tmp_path):
    write("A")
    (tmp_path / "tickets" / "A" / "ticket.yaml").write_text("id: '../x'\n")
    opened = desk()
    approve_in_advance(opened.batches, "b", opened.entries, by="--yes")
    outcome = TicketWork(opened, opened.leases.claim("b", opened.owner)).run()
    assert outcome.status is Status.ERROR
    assert outcome.reason.startswith("usage: ")


def test_a_ticket_whose_files_cannot_be_frozen_is_an_error_and_no_verdict(write, desk):
    files = write("A")
    opened = desk()
    (files / "a.py").unlink()
    approve_in_advance(opened.batches, "b", opened.entries, by="--yes")
    outcome = TicketWork(opened, opened.leases.claim("b", opened.owner)).run()
    assert outcome.status is Status.ERROR
    assert outcome.claims == ()
    assert outcome.reason.count(opened.entries["A"].source) == 1


@pytest.mark.parametrize(
    ("status", "kind"), [(Status.PASS_WEAK, "COMPLETED"), (Status.FAILED_ADVERSARIAL, "FAILED"), (None, "CANCELLED")]
)
def test_a_tickets_status_is_its_task_runs_state_which_carries_no_outcome(claimed, status, kind):
    desk, claim = claimed
    outcome = TicketWork(desk, claim).run()
    ended = None if status is None else replace(outcome, status=status)
    state = ticket_module._ticket.fn("A", lambda: ended)
    assert (state.type, state.name) == (kind, status or "NOT_FINISHED")
    assert state.data is None
    assert state.timestamp - state.timestamp == timedelta(0)  # Prefect reckons with it


def test_a_server_that_takes_no_task_run_does_not_keep_a_ticket_from_its_outcome(claimed, monkeypatch):
    desk, claim = claimed
    tried = []

    def refusing(ticket_id, run, **options):
        tried.append(ticket_id)
        raise ConnectionError("503")

    monkeypatch.setattr(ticket_module, "_ticket", refusing)
    monkeypatch.setattr(desk.slots, "wait", lambda _: False)
    run_as_task(TicketWork(desk, claim), ticket_id="A", labels=())
    assert len(tried) == ticket_module.TAKEN_TRIES
    assert statuses(desk) == [Status.BLOCKED_DANGEROUS_SCRIPT]
    assert desk.unheard
    assert "takes no task runs" in desk.watcher.lines[0]


def test_work_that_ran_is_not_run_again_where_prefect_fails_afterwards(claimed, monkeypatch):
    desk, claim = claimed

    def failing_late(ticket_id, run, **options):
        run()
        raise ConnectionError("the state was not taken")

    monkeypatch.setattr(ticket_module, "_ticket", failing_late)
    run_as_task(TicketWork(desk, claim), ticket_id="A", labels=())
    assert len(statuses(desk)) == 1
    assert desk.tally.done == 1


def test_a_ledger_that_fails_is_kept_for_the_crew(claimed, monkeypatch):
    desk, claim = claimed

    def full(self, outcome, owner, **_):
        raise LedgerUnavailable("the disk is full")

    work = TicketWork(desk, claim)
    monkeypatch.setattr(ticket_module, "_ticket", lambda _, run, **__: run())
    monkeypatch.setattr("refute.ledger.leases.Leases.record", full)
    run_as_task(work, ticket_id="A", labels=())
    assert isinstance(work.failure, LedgerUnavailable)


def test_an_allowance_for_other_files_leaves_a_dangerous_ticket_blocked(claimed):
    desk, claim = claimed
    other = Allowance(ticket="A", snapshot="sha256:" + "0" * 64, reason="looked at by Ada")
    desk.allowances = {"A": other}
    TicketWork(desk, claim).run()
    assert statuses(desk) == [Status.BLOCKED_DANGEROUS_SCRIPT]


def test_a_cost_table_that_cannot_be_appended_to_is_told_once_and_not_for_each_ticket(write, desk, tmp_path):
    for name in ("A", "B"):
        write(name, script="rm -rf /\n")
    (tmp_path / "c.csv").write_text("a spreadsheet's own; columns\n")
    opened = desk()
    approve_in_advance(opened.batches, "b", opened.entries, by="--yes")
    for _ in range(2):
        TicketWork(opened, opened.leases.claim("b", opened.owner)).run()
    assert len(opened.ledger.outcomes(run_id="b")) == 2
    (line,) = opened.watcher.lines
    assert "the ledger holds every row" in line
