"""The tickets of a batch as task runs, as many at once as there are containers; and how they are stopped."""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from typing import Any, Final

from prefect.context import TagsContext
from prefect.task_runners import ThreadPoolTaskRunner

from flows.batch.run import BatchRun
from flows.batch.ticket import verified, verify_listed
from flows.interruption import Interruptions
from refute.ledger.batches import BatchTicket

AHEAD: Final = 1
"""Tickets in work beyond the containers, so that none stands empty while another ticket is scanned or recorded."""
LOOK_S: Final = 0.2
STOP_TIMEOUT_S: Final = 60.0


def verify_tickets(
    batch: BatchRun, due: Iterable[BatchTicket], signals: Interruptions, *, meanwhile: Callable[[], None]
) -> None:
    """Verify tickets, several at once, until all have ended.

    Args:
        batch: what they share.
        due: which ones.
        signals: let through while tickets are waited for: one that struck between a thread's start and the pool's
            note of it would leave a ticket that nobody waits for.
        meanwhile: called several times a second.

    Raises:
        KeyboardInterrupt: after what ran was stopped and its containers removed.
        Exception: what no ticket's outcome can tell: the ledger failed, or no model can be asked.
    """
    ids: list[str] = []
    pending: set[Future[Any]] = set()
    runner: ThreadPoolTaskRunner[Any]
    listed: Any = verify_listed  # typed for coroutines alone
    with ThreadPoolTaskRunner(max_workers=batch.containers.most + AHEAD) as runner:  # at its end it drops what waits
        try:
            # For a tag Prefect would ask the server for a slot: tickets get theirs late.
            with TagsContext(current_tags=set()):
                for row in due:
                    ids.append(row.ticket_id)
                    named = {"ticket_id": row.ticket_id, "run": partial(verified, batch, row)}
                    pending.add(runner.submit(listed, named).wrapped_future)
            while pending and not batch.containers.stopped:
                with signals.let_through():
                    _, pending = wait(pending, LOOK_S, FIRST_COMPLETED)
                    meanwhile()
                batch.progress.look()  # not interrupted: nothing is counted by half
        except BaseException:
            batch.containers.stop()
            _end(batch, pending, ids)
            raise
    if batch.containers.failure is not None:
        raise batch.containers.failure


def _end(batch: BatchRun, pending: set[Future[Any]], ids: list[str]) -> None:
    """End what runs: without its containers each ticket comes back at once."""
    running = {one for one in pending if not one.cancel()}
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while running and time.monotonic() < deadline:
        batch.remove_containers(ids)
        _, running = wait(running, LOOK_S)
    batch.remove_containers(ids)
