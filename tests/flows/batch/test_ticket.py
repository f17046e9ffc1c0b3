"""One ticket of a batch: what is recorded, and what is not because it would say nothing about the ticket."""

from dataclasses import replace

import pytest

from flows.batch import ticket as ticket_module
from flows.batch.answers import approve_in_advance
from flows.batch.ticket import verified, verify_listed
from refute.batch.allowance import Allowance
from refute.errors import LedgerUnavailable
from refute.ledger.batches import Answer
from refute.outcome import Status
from tests.fakes.outcomes import fake_outcome


@pytest.fixture
def dangerous(write, batch):
    """A batch of one dangerous ticket, so that no container is needed for its outcome."""
    write("A", script="rm -rf /\n")
    return approved(batch())


def approved(opened):
    approve_in_advance(opened.batches, "b", opened.entries, by="--yes")
    return opened


def first(opened):
    return verified(opened, opened.due()[0])


def statuses(opened) -> list[Status]:
    return [outcome.status for outcome in opened.ledger.outcomes(run_id="b")]


def test_a_server_that_is_gone_is_not_asked_to_show_what_is_recorded(dangerous, shown, monkeypatch):
    monkeypatch.setattr("flows.pipeline.still_answers", lambda: False)
    assert first(dangerous) is not None
    assert statuses(dangerous) == [Status.BLOCKED_DANGEROUS_SCRIPT]
    assert shown == []
    assert dangerous.watcher.lines == ["A: no artifact in Prefect (its server does not answer)"]


def test_what_prefect_has_against_an_artifact_is_told_and_the_outcome_stands(dangerous, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError("too large")

    monkeypatch.setattr("tasks.outcome.show_outcome", refuse)
    assert first(dangerous) is not None
    assert dangerous.watcher.lines == ["A: no artifact in Prefect (OSError)"]


def test_what_other_processes_record_counts_too_each_ticket_once(write, batch):
    for name in "ABC":
        write(name, script="rm -rf /\n")
    opened = approved(batch())
    mine = opened.due()[1]
    opened.ledger.record(fake_outcome("A", run_id="b", status=Status.FAILED_IMPORT))
    opened.progress.look()
    verified(opened, mine)
    opened.progress.look()
    assert opened.watcher.ended_ids == ["A", "B"]
    assert opened.progress.tally.counts == {Status.FAILED_IMPORT: 1, Status.BLOCKED_DANGEROUS_SCRIPT: 1}
    assert [row.ticket_id for row in opened.due()] == ["C"]
    opened.ledger.record(fake_outcome("C", run_id="b", status=Status.PASS))
    opened.progress.finish()
    assert (opened.progress.tally.done, opened.progress.tally.counts[Status.PASS]) == (3, 1)


def test_a_ticket_of_a_batch_that_was_ended_midway_is_not_recorded(dangerous):
    dangerous.containers.stop()
    assert first(dangerous) is None
    assert statuses(dangerous) == []


def test_files_changed_since_the_approval_wait_for_a_new_one(write, batch):
    write("A")
    opened = batch()
    opened.batches.answer("b", Answer.APPROVED, by="Ada", digests={"A": "sha256:of-other-files"})
    assert first(opened) is None
    (ticket,) = opened.batches.tickets("b")
    assert ticket.answer is Answer.WAITING
    assert ticket.digest.startswith("sha256:")
    assert ticket.digest != "sha256:of-other-files"
    assert "changed since the approval" in opened.watcher.lines[0]


def test_a_ticket_whose_files_cannot_be_frozen_is_an_error_and_no_verdict(write, batch, shown):
    files = write("A")
    opened = approved(batch())
    (files / "a.py").unlink()
    outcome = first(opened)
    assert outcome.status is Status.ERROR
    assert outcome.claims == ()
    assert opened.entries["A"].source not in outcome.reason  # it is the title
    assert shown == ["A"]  # in the UI as in the ledger


@pytest.mark.parametrize(
    ("status", "kind"), [(Status.PASS_WEAK, "COMPLETED"), (Status.FAILED_ADVERSARIAL, "FAILED"), (None, "CANCELLED")]
)
def test_a_tickets_status_is_its_task_runs_state_which_carries_no_outcome(dangerous, status, kind):
    outcome = first(dangerous)
    ended = None if status is None else replace(outcome, status=status)
    state = verify_listed.fn("A", lambda: ended)
    assert (state.type, state.name) == (kind, status or "NOT_FINISHED")
    assert state.data is None


def test_a_ledger_that_fails_ends_the_batch(dangerous, monkeypatch):
    def full(*_: object) -> None:
        raise LedgerUnavailable("the disk is full")

    monkeypatch.setattr(ticket_module, "record_outcome", full)
    with pytest.raises(LedgerUnavailable):
        first(dangerous)
    assert isinstance(dangerous.containers.failure, LedgerUnavailable)


def test_an_allowance_for_other_files_leaves_a_dangerous_ticket_blocked(dangerous):
    dangerous.allowances = {"A": Allowance(ticket="A", snapshot="sha256:" + "0" * 64, reason="looked at by Ada")}
    first(dangerous)
    assert statuses(dangerous) == [Status.BLOCKED_DANGEROUS_SCRIPT]
