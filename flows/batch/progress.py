"""How far a batch has come, by what the ledger has recorded, whichever process recorded it."""

import contextlib
import time
from collections.abc import Collection

from flows.batch.watcher import BatchWatcher
from refute.batch.tally import Tally
from refute.errors import InfrastructureError
from refute.ledger.batches import Batches
from reports.wording import duration, spent


class Progress:
    """Counts each ticket once, and tells of it.

    Args:
        batches: the ledger's side.
        batch_id: the batch.
        tickets: ids of those that count: all of the batch, or a chunk's.
        watcher: is told of each outcome.
    """

    def __init__(self, batches: Batches, batch_id: str, tickets: Collection[str], *, watcher: BatchWatcher) -> None:
        self.tally = Tally(total=len(tickets))
        self._batches = batches
        self._batch_id = batch_id
        self._watcher = watcher
        self._left = set(tickets)
        self._known = 0
        self._began = time.monotonic()

    def begin(self) -> None:
        """Count what was recorded before; raises `LedgerUnavailable`."""
        self._count(earlier=True)

    def look(self) -> None:
        """Count what was recorded since; what cannot be read is counted later."""
        with contextlib.suppress(InfrastructureError):
            self._count()

    def finish(self) -> None:
        """Count all of it: a PostgreSQL may show an outcome after one of a higher key. Raises `LedgerUnavailable`."""
        self._known = 0
        self._count()

    def _count(self, *, earlier: bool = False) -> None:
        for key, outcome in self._batches.recorded_after(self._batch_id, self._known):
            self._known = max(self._known, key)
            if outcome.ticket_id not in self._left:
                continue
            self._left.remove(outcome.ticket_id)
            self.tally.add(outcome, earlier=earlier)
            if not earlier:
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
