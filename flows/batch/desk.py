"""What the threads of a batch share: its tickets, ledger, containers and counts."""

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from flows.batch.slots import Slots, SlottedSandbox
from flows.batch.watcher import BatchWatcher
from flows.orchestrator.model_limit import model_turn
from flows.story import RunStory
from refute.batch.allowance import Allowance
from refute.batch.entry import Entry
from refute.batch.tally import Tally
from refute.errors import InfrastructureError, OrchestratorUnavailable
from refute.journal import Journal
from refute.ledger.batches import Batches
from refute.ledger.held import HeldLedger
from refute.ledger.leases import Leases
from refute.ledger.store import Ledger
from refute.observer import OnlyOnce, Unwatched, Watchers
from refute.outcome import Outcome
from refute.owner import Owner
from refute.ports import Ports
from refute.settings import Settings


@dataclass(slots=True, kw_only=True)
class Desk:
    """One process's part in a batch."""

    batch_id: str
    entries: Mapping[str, Entry]
    """Ticket id → what was read."""
    settings: Settings
    ledger: Ledger
    slots: Slots
    tally: Tally
    watcher: BatchWatcher
    owner: str = field(default_factory=lambda: str(Owner.here()))
    images: dict[str, Any] = field(default_factory=dict)
    """Images that were looked up, for all tickets."""
    derived: dict[Any, Any] = field(default_factory=dict)
    allowances: Mapping[str, Allowance] = field(default_factory=dict)
    """Ticket id → what the allow-file says."""
    unheard: bool = False
    """Whether Prefect took a ticket's task run not even after several tries: from then on each is tried once."""
    said: dict[str, object] = field(default_factory=dict)
    """What a ticket has warned of: the same words of another one are no news."""
    counted: set[str] = field(default_factory=set)
    """Tickets whose outcome is in the tally."""
    known: int = 0
    """Key of the last outcome that was read from the ledger."""
    failure: Exception | None = None
    """What ended the work early, where something did."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    began: float = field(default_factory=time.monotonic)

    @property
    def batches(self) -> Batches:
        """The ledger's side of the batch."""
        return Batches(self.ledger)

    @property
    def leases(self) -> Leases:
        """Who works on its tickets."""
        return Leases(self.ledger)

    def end(self, failure: Exception) -> None:
        """Let nothing more begin or be recorded, and keep why: no ticket's outcome can tell."""
        self.failure = self.failure or failure
        self.slots.stop()

    def count(self, outcome: Outcome) -> None:
        """Count an outcome that was recorded, with those of other processes since, and tell who watches."""
        with self.lock:
            with contextlib.suppress(InfrastructureError):  # counted at the end
                self.catch_up()
            self._add(outcome)
            self.watcher.ended(outcome, self.tally, self.tally.left_s(time.monotonic() - self.began))

    def catch_up(self, *, earlier: bool = False, from_the_first: bool = False) -> None:
        """Count what the ledger has of this batch, whichever process recorded it.

        Args:
            earlier: it was recorded before this process began.
            from_the_first: look through all of it; a PostgreSQL may show an outcome after one of a higher key.

        Raises:
            LedgerUnavailable: the ledger failed.
        """
        for key, outcome in self.batches.recorded_after(self.batch_id, 0 if from_the_first else self.known):
            self.known = max(self.known, key)
            self._add(outcome, earlier=earlier)

    def _add(self, outcome: Outcome, *, earlier: bool = False) -> None:
        if outcome.ticket_id not in self.counted:
            self.counted.add(outcome.ticket_id)
            self.tally.add(outcome, earlier=earlier)


class Warnings(Unwatched):
    """Tells whoever watches the batch what a ticket's run warns of."""

    def __init__(self, desk: Desk, ticket_id: str) -> None:
        self._desk = desk
        self._ticket_id = ticket_id

    def warned(self, message: str) -> None:
        """Say which ticket it is about."""
        self._desk.watcher.told(f"{self._ticket_id}: {message}")


class BatchPorts(Ports):
    """The effects of one ticket of a batch: a ledger that refuses what is not held, containers by slots."""

    def __init__(self, desk: Desk, ticket_id: str) -> None:
        journal = Journal.of(desk.settings, run_id=desk.batch_id, ticket_id=ticket_id)
        watchers = Watchers(OnlyOnce(Warnings(desk, ticket_id), desk.said), RunStory(ticket_id), journal)
        super().__init__(desk.settings, desk.batch_id, observer=watchers)
        self._desk = desk
        self._images = desk.images
        self._derived = desk.derived
        self.held = HeldLedger(desk.ledger, desk.owner)
        """The ledger, with its memory of whether it refused."""

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger, for what is still held."""
        return self.held

    @contextlib.contextmanager
    def model_turn(self) -> Iterator[None]:
        """Wait for a slot of the server's limit, or for the end of the batch.

        Raises:
            OrchestratorUnavailable: nobody will get one. It ends the batch, else each ticket would wait for it in turn.
        """
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(model_turn(self._desk.slots.check))
            except OrchestratorUnavailable as error:
                self._desk.end(error)
                raise
            yield

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than until the batch is ended.

        Raises:
            BatchStopped: it is.
        """
        self._desk.slots.wait(seconds)
        self._desk.slots.check()

    def open_ledger_ahead(self) -> None:
        """It is open."""

    @cached_property
    def sandbox(self) -> SlottedSandbox:
        """What runs jobs, when a slot is free."""
        return SlottedSandbox(self._desk.slots, runtime=self.settings.runtime)
