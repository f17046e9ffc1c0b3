"""The threads of a batch: every ticket once, an end at any moment, a failure that ends all of it."""

import contextlib
import os
import signal
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from flows.batch import crew as crew_module
from flows.batch import desk as desk_module
from flows.batch.answers import approve_in_advance
from flows.batch.crew import Crew
from flows.batch.desk import BatchPorts
from flows.batch.slots import BatchStopped, Slots
from flows.batch.ticket import TicketWork
from refute.batch.absence import Absences
from refute.errors import LedgerUnavailable, OrchestratorUnavailable
from refute.ledger.leases import Leases


@pytest.fixture(autouse=True)
def no_engine(monkeypatch):
    monkeypatch.setattr(crew_module, "remove_leftovers", lambda *_, **__: 0)
    monkeypatch.setattr(crew_module, "POLL_S", 0.01)


@pytest.fixture
def batch(write, desk):
    """Five tickets that end before any container, all approved."""
    for number in range(5):
        write(f"T-{number}", script="rm -rf /\n")
    opened = desk()
    approve_in_advance(opened.batches, "b", opened.entries, by="--yes")
    return opened


def directly(work: TicketWork, *, ticket_id: str, labels: tuple[str, ...]) -> None:
    work.run()


def work_off(batch) -> Crew:
    crew = Crew(batch, size=2)
    with crew.at_work():
        crew.wait(meanwhile=lambda: None)
    return crew


def test_every_ticket_is_done_once_by_several_threads(batch, monkeypatch):
    monkeypatch.setattr(crew_module, "run_as_task", directly)
    work_off(batch)
    assert sorted(batch.watcher.ended_ids) == [f"T-{number}" for number in range(5)]
    assert len(batch.ledger.outcomes(run_id="b")) == 5
    assert all(ticket.finished and ticket.owner is None for ticket in batch.batches.tickets("b"))


def test_an_interruption_gives_back_what_is_unfinished(batch, monkeypatch):
    working = threading.Event()

    def endless(work, *, ticket_id, labels):
        working.set()
        batch.slots.wait(300)

    monkeypatch.setattr(crew_module, "run_as_task", endless)

    def interrupt() -> None:
        assert working.wait(300)
        raise KeyboardInterrupt("a person")

    crew = Crew(batch, size=2)
    with pytest.raises(KeyboardInterrupt), crew.at_work():
        crew.wait(meanwhile=interrupt)
    assert [ticket.owner for ticket in batch.batches.tickets("b")] == [None] * 5
    assert batch.ledger.outcomes(run_id="b") == []


def test_whatever_moment_an_interruption_strikes_at_the_threads_have_ended_after_it(batch, monkeypatch):
    began, ended = threading.Event(), threading.Event()

    def slow_to_end(work, *, ticket_id, labels):
        began.set()
        batch.slots.wait(300)
        time.sleep(0.3)
        ended.set()

    def strike() -> None:
        assert began.wait(300)
        os.kill(os.getpid(), signal.SIGINT)  # while the main thread waits for the others

    monkeypatch.setattr(crew_module, "run_as_task", slow_to_end)
    monkeypatch.setattr(crew_module, "JOIN_S", 300.0)
    crew = Crew(batch, size=2)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(target=strike).start()
        with pytest.raises(KeyboardInterrupt), crew.at_work():
            crew.wait(meanwhile=lambda: None)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.is_set()


def test_an_interruption_while_the_threads_start_ends_those_that_work(batch, monkeypatch):
    monkeypatch.setattr(crew_module, "run_as_task", lambda *_, **__: batch.slots.wait(300))
    crew = Crew(batch, size=2)
    begin = crew._begin

    def struck(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt
        begin(number)

    monkeypatch.setattr(crew, "_begin", struck)
    with pytest.raises(KeyboardInterrupt), crew.at_work():
        pytest.fail("the threads have not all begun")
    assert not crew._working()
    assert [ticket.owner for ticket in batch.batches.tickets("b")] == [None] * 5


def test_a_ledger_that_fails_ends_the_batch_and_is_told(batch, monkeypatch):
    def failing(work, *, ticket_id, labels):
        work.failure = LedgerUnavailable("the disk is full")

    monkeypatch.setattr(crew_module, "run_as_task", failing)
    with pytest.raises(LedgerUnavailable, match="disk is full"):
        work_off(batch)
    assert [ticket.owner for ticket in batch.batches.tickets("b")] == [None] * 5


def test_tickets_of_another_living_process_are_waited_for_and_those_of_a_dead_one_taken(batch, monkeypatch):
    monkeypatch.setattr(crew_module, "run_as_task", directly)
    batch.leases.claim("b", "elsewhere.0/1/1/other")
    asked = []

    def gone(owner: str) -> bool:
        asked.append(owner)
        return len(asked) > 20

    monkeypatch.setattr(crew_module, "_is_gone", gone)
    work_off(batch)
    assert len(batch.ledger.outcomes(run_id="b")) == 5
    assert set(asked) == {"elsewhere.0/1/1/other"}


def test_tickets_of_a_process_that_does_not_renew_are_taken_whatever_its_clock_said(batch, monkeypatch):
    monkeypatch.setattr(crew_module, "run_as_task", directly)
    monkeypatch.setattr(crew_module, "Absences", lambda _: Absences(0.0))
    ahead = Leases(batch.ledger, clock=lambda: datetime.now(UTC) + timedelta(days=1))  # then the clock was set back
    ahead.claim("b", "elsewhere.0/1/1/other")
    work_off(batch)
    assert len(batch.ledger.outcomes(run_id="b")) == 5


def test_what_waits_for_an_answer_is_left_alone(write, desk, monkeypatch):
    monkeypatch.setattr(crew_module, "run_as_task", directly)
    write("A")
    opened = desk()
    work_off(opened)
    assert opened.ledger.outcomes(run_id="b") == []


def test_no_job_begins_once_the_batch_is_being_ended():
    slots = Slots(1)
    slots.take()
    slots.give_back()
    slots.stop()
    with pytest.raises(BatchStopped):
        slots.take()


def test_a_server_that_gives_no_turn_to_ask_a_model_ends_the_batch_and_no_ticket_has_an_outcome(batch, monkeypatch):
    @contextlib.contextmanager
    def no_turn(_check):
        raise OrchestratorUnavailable("the Prefect server has not answered for 120 s")
        yield

    def asks_a_model(work, *, ticket_id, labels):
        with contextlib.suppress(OrchestratorUnavailable), BatchPorts(batch, ticket_id).model_turn():
            pytest.fail("there was no turn")

    monkeypatch.setattr(desk_module, "model_turn", no_turn)
    monkeypatch.setattr(crew_module, "run_as_task", asks_a_model)
    with pytest.raises(OrchestratorUnavailable, match="not answered"):
        work_off(batch)
    assert batch.slots.stopped
    assert [ticket.owner for ticket in batch.batches.tickets("b")] == [None] * 5
