"""The tickets of a batch as task runs, as many at once as there are containers; and how they are stopped."""

import contextlib
import queue
import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from prefect.context import TagsContext
from prefect.task_runners import ThreadPoolTaskRunner

from flows.batch.run import BatchRun
from flows.batch.ticket import verified, verify_listed
from refute.ledger.batches import BatchTicket
from refute.outcome import Outcome

AHEAD: Final = 1
"""Tickets in work beyond the containers, so that none stands empty while another ticket is scanned or recorded."""
LOOK_S: Final = 0.2
STOP_TIMEOUT_S: Final = 60.0


def verify_tickets(batch: BatchRun, due: Iterable[BatchTicket], *, meanwhile: Callable[[], None]) -> None:
    """Verify tickets, several at once, until all have ended; can be interrupted.

    Args:
        batch: what they share.
        due: which ones.
        meanwhile: called several times a second.

    Raises:
        KeyboardInterrupt: after what ran was stopped and its containers removed.
        Exception: what no ticket's outcome can tell: the ledger failed, or no model can be asked.
    """
    waiting, ids = deque(due), []
    most = batch.containers.most + AHEAD
    runner: ThreadPoolTaskRunner[Any]
    with ThreadPoolTaskRunner(max_workers=most) as runner:
        running = _Running(runner)
        try:
            while (waiting and not batch.containers.stopped) or running.count:
                while waiting and not batch.containers.stopped and running.count < most:
                    row = waiting.popleft()
                    ids.append(row.ticket_id)
                    running.submit(batch, row)
                running.await_one(LOOK_S)
                meanwhile()
        except BaseException:
            batch.containers.stop()
            _end(batch, running, ids)
            raise
    if batch.containers.failure is not None:
        raise batch.containers.failure


class _Running:
    """The tickets that run now.

    They count themselves: an interruption may strike between a thread's start and the pool's, or our, note of it.
    """

    def __init__(self, runner: "ThreadPoolTaskRunner[Any]") -> None:
        self._runner = runner
        self._submitted = 0
        self._begun: list[str] = []
        self._ended: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._ends = 0

    @property
    def count(self) -> int:
        """How many were submitted and have not ended."""
        return self._submitted - self._ends

    @property
    def begun(self) -> int:
        """How many began and have not ended."""
        return len(self._begun) - self._ends

    def submit(self, batch: BatchRun, row: BatchTicket) -> None:
        # For a tag Prefect would ask the server for a slot, over a connection that it keeps: tickets get theirs late.
        with TagsContext(current_tags=set()):
            self._runner.submit(verify_listed, {"ticket_id": row.ticket_id, "run": partial(self._work, batch, row)})
        self._submitted += 1

    def await_one(self, seconds: float) -> None:
        """Until one has ended, or the time is over."""
        with contextlib.suppress(queue.Empty):
            self._ended.get(timeout=seconds)
            self._ends += 1

    def _work(self, batch: BatchRun, row: BatchTicket) -> Outcome | None:
        self._begun.append(row.ticket_id)
        try:
            return None if batch.containers.stopped else verified(batch, row)
        finally:
            self._ended.put(row.ticket_id)


def _end(batch: BatchRun, running: _Running, ids: list[str]) -> None:
    """End what runs: without its containers each ticket comes back at once."""
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while running.begun > 0 and time.monotonic() < deadline:
        batch.remove_containers(ids)
        running.await_one(LOOK_S)
    batch.remove_containers(ids)
