"""The tickets of a batch side by side: every one once, an end at any moment, a failure that ends all of it."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from flows.batch import pool
from flows.batch.answers import approve_in_advance
from flows.batch.pool import verify_tickets
from flows.containers import BatchStopped, BoundedSandbox, Containers
from flows.interruption import Interruptions, interruptions
from refute.errors import ContainerLost, LedgerUnavailable
from refute.sandbox.engine import DockerSandbox
from tests.fakes.jobs import bash_job


@pytest.fixture
def removed(monkeypatch) -> list[object]:
    """Runs tickets in threads without Prefect; notes whose containers were removed."""
    ids: list[object] = []

    class Runner:
        def __init__(self, executor: ThreadPoolExecutor) -> None:
            self._executor = executor

        def submit(self, _task, parameters) -> SimpleNamespace:
            return SimpleNamespace(wrapped_future=self._executor.submit(parameters["run"]))

    @contextmanager
    def runner(max_workers):
        executor = ThreadPoolExecutor(max_workers)
        try:
            yield Runner(executor)
        finally:  # as Prefect's
            executor.shutdown(cancel_futures=True)

    monkeypatch.setattr(pool, "ThreadPoolTaskRunner", runner)
    monkeypatch.setattr("flows.batch.run.remove_leftovers", lambda _, tickets: ids.append(list(tickets)))
    return ids


@pytest.fixture
def five(write, batch):
    """Five tickets that end before any container, all approved."""
    for number in range(5):
        write(f"T-{number}", script="rm -rf /\n")
    opened = batch()
    approve_in_advance(opened.batches, "b", opened.entries, by="--yes")
    return opened


def test_whatever_moment_an_interruption_strikes_at_the_tickets_have_ended_after_it(five, removed, monkeypatch):
    began, ended, tried = threading.Event(), threading.Event(), []

    def slow_to_end(batch, row) -> None:
        tried.append(row.ticket_id)
        began.set()
        while not batch.containers.stopped:
            time.sleep(0.01)
        time.sleep(0.3)
        ended.set()

    def strike() -> None:
        assert began.wait(300)
        os.kill(os.getpid(), signal.SIGINT)  # while the main thread waits for the others

    monkeypatch.setattr(pool, "verified", slow_to_end)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        threading.Thread(target=strike).start()
        with interruptions() as signals, pytest.raises(KeyboardInterrupt):
            verify_tickets(five, five.due(), signals, meanwhile=lambda: None)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.is_set()
    assert removed
    assert set(tried) <= {"T-0", "T-1"}  # at one container and one ahead
    assert five.ledger.outcomes(run_id="b") == []


def test_what_no_ticket_can_tell_ends_the_batch_and_is_raised(five, removed, monkeypatch):
    def full(batch, _row) -> None:
        error = LedgerUnavailable("the disk is full")
        batch.containers.stop(error)
        raise error

    monkeypatch.setattr(pool, "verified", full)
    with pytest.raises(LedgerUnavailable):
        verify_tickets(five, five.due(), Interruptions(), meanwhile=lambda: None)


def test_never_more_containers_run_than_the_bound(monkeypatch):
    now, most, lock = 0, 0, threading.Lock()

    def run(self, job):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.05)
        with lock:
            now -= 1

    monkeypatch.setattr(DockerSandbox, "run", run)
    containers = Containers(2)
    threads = [threading.Thread(target=BoundedSandbox(containers).run, args=(bash_job("true"),)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_a_container_that_was_removed_to_end_the_batch_is_not_lost_but_stopped(monkeypatch):
    containers = Containers(1)

    def removed(self, job):
        containers.stop()
        raise ContainerLost("ended from outside")

    monkeypatch.setattr(DockerSandbox, "run", removed)
    for _ in range(2):
        with pytest.raises(BatchStopped):
            BoundedSandbox(containers).run(bash_job("true"))
