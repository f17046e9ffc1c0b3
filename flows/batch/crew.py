"""The threads that work a batch off, and how they are stopped."""

import contextlib
import contextvars
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

from flows.batch.desk import Desk
from flows.batch.ticket import TicketWork, run_as_task
from refute.batch.absence import Absences
from refute.errors import InfrastructureError
from refute.ledger.batches import BatchTicket
from refute.ledger.leases import LEASE_S
from refute.owner import Owner
from refute.sandbox.leftovers import remove_leftovers

AHEAD: Final = 1
"""Tickets in work beyond the containers, so that none stands empty while another ticket is scanned or recorded."""
POLL_S: Final = 1.0
"""How often a thread without work looks whether another process has given back a ticket."""
STOP_TIMEOUT_S: Final = 60.0
JOIN_S: Final = 0.2


class Crew:
    """Works on a batch until no ticket is left that may be run.

    Args:
        desk: what they share.
        size: containers at once.
    """

    def __init__(self, desk: Desk, *, size: int) -> None:
        self._desk = desk
        self._size = size + AHEAD
        self._ends: list[threading.Event] = []
        """Of the threads that were begun. Not asked of the threads: CPython 3.11 takes one for ended whose `join` is
        interrupted (gh-90882), and containers of a working one would be left on the engine."""
        self._absences = Absences(LEASE_S)
        self._over = threading.Event()

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """The threads work while the block runs; when it is left they have ended.

        Raises:
            KeyboardInterrupt, …: what the block raises, after everything was stopped and given back.
        """
        heart = threading.Thread(target=self._renew, name="refute-lease", daemon=True)
        heart.start()
        try:
            for number in range(self._size):
                self._begin(number)
            yield
        except BaseException:
            self.stop()
            raise
        finally:
            self._over.set()
            heart.join(timeout=STOP_TIMEOUT_S)

    def wait(self, *, meanwhile: Callable[[], None]) -> None:
        """Until all threads have ended; can be interrupted.

        Args:
            meanwhile: called several times a second.

        Raises:
            Exception: what ended the work of a thread, which no ticket's outcome can tell: the ledger failed, or no
                model can be asked.
        """
        while working := self._working():
            meanwhile()
            self._check()
            for end in working:
                end.wait(JOIN_S)
        self._check()

    def stop(self) -> None:
        """End at once: give back what is unfinished, remove its containers, wait for the threads."""
        self._desk.slots.stop()  # from now on nothing unfinished is recorded
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while (working := self._working()) and time.monotonic() < deadline:
            self.sweep(own=True)
            for end in working:
                end.wait(JOIN_S)
        self.sweep(own=True)
        with contextlib.suppress(InfrastructureError):
            self._desk.leases.release(self._desk.batch_id, self._desk.owner)

    def sweep(self, *, own: bool = False) -> None:
        """Remove containers of this batch that no living process needs.

        Args:
            own: also those of this process's own tickets, to end them.
        """

        def needed() -> set[str]:
            tickets = self._desk.batches.tickets(self._desk.batch_id)
            return {one.ticket_id for one in tickets if one.owner is not None and self._lives(one.owner, own=own)}

        with contextlib.suppress(InfrastructureError):  # they end by themselves
            remove_leftovers(self._desk.batch_id, spare=needed)

    def _working(self) -> list[threading.Event]:
        return [end for end in self._ends if not end.is_set()]

    def _lives(self, owner: str, *, own: bool) -> bool:
        return not own if owner == self._desk.owner else not _is_gone(owner)

    def _check(self) -> None:
        if self._desk.failure is not None:
            raise self._desk.failure

    def _begin(self, number: int) -> None:
        end = threading.Event()
        context = contextvars.copy_context()  # Prefect knows by it that the task runs belong to the batch's flow run
        name = f"refute-ticket-{number}"
        thread = threading.Thread(target=context.run, args=(self._work, end), name=name, daemon=True)
        self._ends.append(end)
        thread.start()

    def _work(self, end: threading.Event) -> None:
        try:
            while not self._desk.slots.stopped:
                claim = self._claim()
                if claim is not None:
                    self._run(claim)
                elif self._nothing_left() or self._desk.slots.wait(POLL_S):
                    return
        except Exception as error:  # noqa: BLE001  # the thread's boundary: told by whoever waits for the crew
            self._desk.end(error)
        finally:
            end.set()

    def _run(self, claim: BatchTicket) -> None:
        desk = self._desk
        if claim.owner is not None:  # whoever had it before was killed, or is not heard of any more
            others = desk.entries.keys() - {claim.ticket_id}
            with contextlib.suppress(InfrastructureError):
                remove_leftovers(desk.batch_id, spare=lambda: others)
        work = TicketWork(desk, claim)
        labels = desk.entries[claim.ticket_id].labels
        try:
            run_as_task(work, ticket_id=claim.ticket_id, labels=labels)
        finally:
            desk.leases.release(desk.batch_id, desk.owner, ticket_id=claim.ticket_id)
        if work.failure is not None:
            raise work.failure

    def _claim(self) -> BatchTicket | None:
        others = self._others()
        gone = self._absences.among(others) | {owner for owner in others if _is_gone(owner)}
        return self._desk.leases.claim(self._desk.batch_id, self._desk.owner, gone=gone)

    def _nothing_left(self) -> bool:
        """Whether no other process works on a ticket that it may leave to us."""
        return not self._others()

    def _others(self) -> dict[str, datetime]:
        leases = self._desk.leases.owners(self._desk.batch_id)
        return {owner: until for owner, until in leases.items() if owner != self._desk.owner}

    def _renew(self) -> None:
        while not self._over.wait(LEASE_S / 4):
            with contextlib.suppress(InfrastructureError):  # tried again; what was lost by then is refused later
                self._desk.leases.renew(self._desk.batch_id, self._desk.owner)


def _is_gone(owner: str) -> bool:
    try:
        return Owner.parse(owner).is_gone()
    except ValueError:
        return False
