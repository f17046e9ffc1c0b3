"""The tickets of a batch: answered for, and finished by their outcomes."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from refute.batch.tally import WORST_FIRST, Tally, worst
from refute.errors import UsageError
from refute.ledger.batches import Answer, Batch, Batches
from refute.ledger.store import Ledger
from refute.outcome import Status
from refute.settings import Settings

BATCH = Batch(id="b", source="/tickets", created_at=datetime(2026, 11, 22, tzinfo=UTC))


@pytest.fixture
def ledger(tmp_path) -> Iterator[Ledger]:
    opened = Ledger.open(Settings(state_dir=tmp_path / "state"))
    yield opened
    opened.close()


@pytest.fixture
def batches(ledger) -> Batches:
    """A batch of three approved tickets."""
    opened = Batches(ledger)
    opened.create(BATCH, [(f"T-{number}", f"/tickets/{number}") for number in (1, 2, 3)])
    opened.answer("b", Answer.APPROVED, by="--yes", digests=dict.fromkeys(["T-1", "T-2", "T-3"]))
    return opened


def test_a_batchs_name_is_used_once(batches):
    with pytest.raises(UsageError, match="already"):
        batches.create(BATCH, [])


def test_an_answer_that_another_process_got_meanwhile_stands(batches):
    batches.answer("b", Answer.WAITING, by="", digests={"T-1": "sha256:1"}, instead_of=Answer.WAITING)
    assert batches.tickets("b")[0].answer is Answer.APPROVED


def test_a_ticket_is_finished_by_its_outcome_which_is_recorded_once(batches, ledger, outcome):
    assert ledger.record(outcome("T-1"))
    assert not ledger.record(outcome("T-1", status=Status.ERROR))
    ledger.record(outcome("T-2", run_id="another batch"))
    assert [one.status for one in ledger.outcomes(run_id="b")] == [Status.PASS_WEAK]
    assert [ticket.finished for ticket in batches.tickets("b")] == [True, False, False]
    batches.answer("b", Answer.DECLINED, by="Ada", digests=dict.fromkeys(["T-1", "T-2"]))
    assert [ticket.answer for ticket in batches.tickets("b")] == [Answer.APPROVED, Answer.DECLINED, Answer.APPROVED]


def test_the_newest_unfinished_batch_is_found_and_an_unknown_name_lists_what_there_is(batches, ledger, outcome):
    assert batches.latest_unfinished() == BATCH
    assert batches.find("b") == BATCH
    with pytest.raises(UsageError, match=r"latest ones: b\."):
        batches.find("other")
    for ticket in ("T-1", "T-2", "T-3"):
        ledger.record(outcome(ticket))
    with pytest.raises(UsageError, match="no unfinished batch"):
        batches.latest_unfinished()


def test_outcomes_come_in_the_order_of_the_tickets_and_the_last_of_each_is_known(batches, ledger, outcome):
    for ticket in ("T-1", "T-2"):
        ledger.record(outcome(ticket, status=Status.ERROR, run_id="earlier"))
    for ticket in ("T-2", "T-1"):
        ledger.record(outcome(ticket))
    ledger.record(outcome("T-1", status=Status.DRY_RUN, run_id="dry"))
    assert [one.ticket_id for one in batches.outcomes("b")] == ["T-1", "T-2"]
    last = batches.last_outcomes(["T-1", "T-3"])
    assert {ticket: one.status for ticket, one in last.items()} == {"T-1": Status.PASS_WEAK}


def test_every_status_has_a_place_in_the_order():
    assert sorted(WORST_FIRST) == sorted(Status)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (["PASS", "PASS_WEAK", "SKIPPED", "DRY_RUN"], 11),
        (["FAILED_ADVERSARIAL", "BLOCKED_DANGEROUS_SCRIPT"], 12),
        (["BLOCKED_DANGEROUS_SCRIPT", "ERROR", "FAILED_IMPORT"], 1),
        (["PENDING", "PASS_WEAK"], 16),
    ],
)
def test_a_batch_exits_with_its_worst_ticket(statuses, code):
    found = worst(map(Status, statuses))
    assert found.exit_code == code


def test_time_left_goes_by_the_pace_of_this_process_alone(outcome):
    tally = Tally(total=10)
    tally.add(outcome("T-1"), earlier=True)
    assert tally.left_s(5.0) is None
    tally.add(outcome("T-2"))
    tally.add(outcome("T-3"))
    assert tally.left_s(4.0) == pytest.approx(14.0)
    assert tally.fraction == pytest.approx(0.3)
