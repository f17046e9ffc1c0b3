"""How a batch ended, for whoever started it; the outcomes themselves are in the ledger."""

from dataclasses import dataclass
from typing import Final

from refute.batch.tally import TOLD_FIRST, Tally, worst
from refute.ledger.batches import Answer, Batches
from refute.outcome import Status
from refute.wording import first_names

SUMMARY_KEY: Final = "batch-summary"
"""Of the artifact with a row for each ticket, failures first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """How the batch stands when one process's part in it ends."""

    batch_id: str
    tally: Tally
    waiting: tuple[str, ...] = ()
    """Tickets that wait for an approval."""
    unfinished: tuple[str, ...] = ()
    """Tickets that were approved and have no outcome, because the batch was ended."""
    interrupted: str = ""
    """Why it was ended early, in words; empty where it was not."""

    @property
    def status(self) -> Status:
        """What the batch exits with: the worst of its tickets; PENDING where some are not done."""
        return worst(self._statuses) or Status.SKIPPED

    @property
    def headline(self) -> Status:
        """What a person is to see first: the worst that was found about code, else `status`."""
        return worst(self._statuses, TOLD_FIRST) or Status.SKIPPED

    @property
    def _statuses(self) -> list[Status]:
        return [*self.tally.counts, *([Status.PENDING] if self.waiting or self.unfinished else [])]

    def words(self) -> str:
        """Counts and what is not done, on one line."""
        parts = [self.tally.words()] if self.tally.done else []
        parts += [f"{len(self.waiting)} wait for an approval"] if self.waiting else []
        parts += [f"{len(self.unfinished)} not finished"] if self.unfinished else []
        return ", ".join(parts) or "no ticket"

    def story(self) -> str:
        """Its state's message: counts, which tickets failed, and where more is said."""
        named = f" Failed: {first_names(sorted(self.tally.failed))}." if self.tally.failed else ""
        return f"{self.words()}.{named} Details: artifact {SUMMARY_KEY}."


def result_of(batches: Batches, batch_id: str, tally: Tally, *, interrupted: str) -> BatchResult:
    """How a batch stands by what the ledger holds of it.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    rows = [row for row in batches.tickets(batch_id) if not row.finished]
    return BatchResult(
        batch_id=batch_id,
        tally=tally,
        waiting=tuple(row.ticket_id for row in rows if row.answer is Answer.WAITING),
        unfinished=tuple(row.ticket_id for row in rows if row.answer is not Answer.WAITING),
        interrupted=interrupted,
    )
