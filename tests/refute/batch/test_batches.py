"""Handing out the tickets of a batch: each to one owner at a time, each finished once."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread

import pytest

from refute.errors import UsageError
from refute.ledger.batches import Answer, Batch, Batches
from refute.ledger.held import HeldLedger
from refute.ledger.leases import LEASE_S, Leases
from refute.ledger.store import Ledger
from refute.outcome import Status
from refute.settings import Settings

BATCH = Batch(id="b", source="/tickets", created_at=datetime(2026, 11, 22, tzinfo=UTC))


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 22, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_s(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def ledger(tmp_path) -> Iterator[Ledger]:
    opened = Ledger.open(Settings(state_dir=tmp_path / "state"))
    yield opened
    opened.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def batches(ledger, clock) -> Batches:
    """A batch of three approved tickets."""
    opened = Batches(ledger, clock=clock)
    opened.create(BATCH, [(f"T-{number}", f"/tickets/{number}") for number in (1, 2, 3)])
    opened.answer("b", Answer.APPROVED, by="--yes", digests=dict.fromkeys(["T-1", "T-2", "T-3"]))
    return opened


@pytest.fixture
def leases(ledger, clock) -> Leases:
    """Those on its tickets."""
    return Leases(ledger, clock=clock)


def test_a_batchs_name_is_used_once(batches):
    with pytest.raises(UsageError, match="already"):
        batches.create(BATCH, [])


def test_tickets_are_handed_out_in_order_each_once(batches, leases):
    assert [leases.claim("b", "me").ticket_id for _ in range(3)] == ["T-1", "T-2", "T-3"]
    assert leases.claim("b", "me") is None


def test_a_ticket_that_waits_for_an_answer_is_not_handed_out(batches, leases):
    batches.answer("b", Answer.WAITING, by="", digests={"T-1": "sha256:1"})
    assert leases.claim("b", "me").ticket_id == "T-2"


def test_a_ticket_waits_since_it_was_first_put_to_a_person_until_it_is_answered(batches, clock):
    def moments() -> tuple[object, object]:
        found = batches.tickets("b")[0]
        return found.asked_at, found.answered_at

    assert moments() == (None, clock())  # approved in advance
    batches.answer("b", Answer.WAITING, by="", digests={"T-1": "sha256:1"})
    asked_at = clock()
    clock.pass_s(60)
    batches.answer("b", Answer.WAITING, by="", digests={"T-1": "sha256:1"}, instead_of=Answer.WAITING)
    assert moments() == (asked_at, None)
    clock.pass_s(60)
    batches.answer("b", Answer.APPROVED, by="Ada", digests={"T-1": "sha256:1"})
    assert moments() == (asked_at, clock())
    batches.answer("b", Answer.WAITING, by="", digests={"T-1": "sha256:2"})  # its files were changed: a new question
    assert moments() == (clock(), None)


def test_an_answer_that_another_process_got_meanwhile_stands(batches, leases):
    batches.answer("b", Answer.WAITING, by="", digests={"T-1": "sha256:1"}, instead_of=Answer.WAITING)
    assert leases.claim("b", "me").ticket_id == "T-1"


def test_a_lease_that_ran_out_frees_the_ticket_and_one_that_is_renewed_does_not(batches, leases, clock):
    leases.claim("b", "stalled")
    clock.pass_s(LEASE_S - 1)
    leases.renew("b", "stalled")
    clock.pass_s(2)
    assert leases.claim("b", "other").ticket_id == "T-2"
    clock.pass_s(LEASE_S)
    taken = leases.claim("b", "third")
    assert (taken.ticket_id, taken.owner) == ("T-1", "stalled")


def test_what_a_dead_owner_held_is_free_at_once(batches, leases):
    leases.claim("b", "dead")
    assert leases.claim("b", "me", gone={"dead"}).ticket_id == "T-1"


def test_an_outcome_is_recorded_once_and_only_by_who_holds_the_ticket(batches, leases, ledger, outcome):
    leases.claim("b", "dead")
    leases.claim("b", "me", gone={"dead"})
    assert not leases.record(outcome("T-1", status=Status.ERROR), "dead")
    assert leases.record(outcome("T-1"), "me")
    assert not leases.record(outcome("T-1", status=Status.ERROR), "me")
    assert [one.status for one in ledger.outcomes(run_id="b")] == [Status.PASS_WEAK]
    assert [ticket.finished for ticket in batches.tickets("b")] == [True, False, False]


def test_nothing_is_recorded_for_a_ticket_that_was_given_back(batches, leases, ledger, outcome):
    leases.claim("b", "me")
    leases.release("b", "me")
    held = HeldLedger(ledger, "me")
    assert not held.record(outcome("T-1"))
    assert held.refused
    assert ledger.outcomes(run_id="b") == []
    assert leases.claim("b", "next").owner is None


def test_only_the_named_ticket_is_given_back(batches, leases):
    leases.claim("b", "me")
    leases.claim("b", "me")
    leases.release("b", "me", ticket_id="T-1")
    assert [ticket.owner for ticket in batches.tickets("b")] == [None, "me", None]
    assert set(leases.owners("b")) == {"me"}


def test_threads_that_claim_at_once_never_get_the_same_ticket(ledger, batches):
    start, got = Barrier(6), []

    def claim(number: int) -> None:
        start.wait()
        got.append(Leases(ledger).claim("b", f"owner-{number}"))

    threads = [Thread(target=claim, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.ticket_id for one in got if one) == ["T-1", "T-2", "T-3"]


def test_the_newest_unfinished_batch_is_found_and_an_unknown_name_lists_what_there_is(batches, leases, outcome):
    assert batches.latest_unfinished() == BATCH
    assert batches.find("b") == BATCH
    with pytest.raises(UsageError, match=r"latest ones: b\."):
        batches.find("other")
    for ticket in ("T-1", "T-2", "T-3"):
        leases.claim("b", "me")
        leases.record(outcome(ticket), "me")
    with pytest.raises(UsageError, match="none that is unfinished"):
        batches.latest_unfinished()


def test_unfinished_batches_are_known_by_when_the_oldest_of_them_was_opened(batches, leases, outcome):
    opened = BATCH.created_at
    batches.create(replace(BATCH, id="later", created_at=opened + timedelta(days=2)), [("T-9", "/tickets/9")])
    assert batches.unfinished_since(opened) == opened
    assert batches.unfinished_since(opened + timedelta(days=1)) == opened + timedelta(days=2)
    for ticket in ("T-1", "T-2", "T-3"):
        leases.claim("b", "me")
        leases.record(outcome(ticket), "me")
    assert batches.unfinished_since(opened) == opened + timedelta(days=2)
    assert batches.unfinished_since(opened + timedelta(days=3)) is None


def test_outcomes_come_in_the_order_of_the_tickets_and_the_last_of_each_is_known(batches, leases, ledger, outcome):
    for ticket in ("T-1", "T-2"):
        leases.claim("b", "me")
        ledger.record(outcome(ticket, status=Status.ERROR, run_id="earlier"))
    for ticket in ("T-2", "T-1"):
        leases.record(outcome(ticket), "me")
    ledger.record(outcome("T-1", status=Status.DRY_RUN, run_id="dry"))
    assert [one.ticket_id for one in batches.outcomes("b")] == ["T-1", "T-2"]
    last = batches.last_outcomes(["T-1", "T-3"])
    assert {ticket: one.status for ticket, one in last.items()} == {"T-1": Status.PASS_WEAK}
