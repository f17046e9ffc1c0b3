"""How far a batch has come, by what the ledger has recorded, whichever process recorded it."""

import contextlib
import threading
import time

from flows.batch.watcher import BatchWatcher
from refute.batch.tally import Tally
from refute.errors import InfrastructureError
from refute.ledger.batches import Batches
from refute.outcome import Outcome
from reports.wording import duration, spent


class Progress:
    """Counts each ticket once. Threads may share it.

    Args:
        batches: the ledger's side.
        batch_id: the batch.
        total: its tickets.
        watcher: is told of each outcome.
    """

    def __init__(self, batches: Batches, batch_id: str, *, total: int, watcher: BatchWatcher) -> None:
        self.tally = Tally(total=total)
        self._batches = batches
        self._batch_id = batch_id
        self._watcher = watcher
        self._counted: set[str] = set()
        self._known = 0
        self._lock = threading.Lock()
        self._began = time.monotonic()

    def begin(self) -> None:
        """Count what was recorded before; raises `LedgerUnavailable`."""
        self._catch_up(earlier=True, tell=False)

    def look(self) -> None:
        """Count, and tell of, what other processes have recorded since; what cannot be read is counted later."""
        with contextlib.suppress(InfrastructureError):
            self._catch_up()

    def finish(self) -> None:
        """Count all of it: a PostgreSQL may show an outcome after one of a higher key. Raises `LedgerUnavailable`."""
        self._known = 0
        self._catch_up(tell=False)

    def count(self, outcome: Outcome) -> None:
        """Count an outcome that this process recorded, and tell of it."""
        with self._lock:
            self._add(outcome, earlier=False, tell=True)

    def _catch_up(self, *, earlier: bool = False, tell: bool = True) -> None:
        with self._lock:
            for key, outcome in self._batches.recorded_after(self._batch_id, self._known):
                self._known = max(self._known, key)
                self._add(outcome, earlier=earlier, tell=tell)

    def _add(self, outcome: Outcome, *, earlier: bool, tell: bool) -> None:
        if outcome.ticket_id in self._counted:
            return
        self._counted.add(outcome.ticket_id)
        self.tally.add(outcome, earlier=earlier)
        if tell:
            self._watcher.ended(outcome, self.tally, self.tally.left_s(time.monotonic() - self._began))


def paid(tally: Tally) -> str:
    """What the tickets that are done cost together."""
    return spent(tally.cost_usd, tally.unknown_costs)


def in_words(tally: Tally, left_s: float | None) -> str:
    """Counts, cost and the time that is left: the same on a terminal, in a run's log and on the run's page.

    Args:
        tally: of the batch.
        left_s: how long the rest is likely to take; None where nothing can be said yet.
    """
    left = f", about {duration(left_s)} left" if left_s and tally.done < tally.total else ""
    return f"{tally.words()}; {paid(tally)}{left}"
