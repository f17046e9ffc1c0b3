"""How far a batch has come, and what it came to."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from refute.outcome import Outcome, Status

WORST_FIRST: Final = (
    Status.ERROR,
    Status.BLOCKED_DANGEROUS_SCRIPT,
    Status.BLOCKED_DANGEROUS_OPERATION,
    Status.CANCELLED,
    Status.SKIPPED_BUDGET,
    Status.FAILED_IMPORT,
    Status.FAILED_VERIFICATION,
    Status.FAILED_RESOURCES,
    Status.FAILED_ADVERSARIAL,
    Status.FAILED_REVIEW,
    Status.INCONCLUSIVE,
    Status.FAILED_TIMEOUT,
    Status.PENDING,
    Status.PASS_WEAK,
    Status.PASS,
    Status.SKIPPED,
    Status.DRY_RUN,
)
"""The order in which a batch's exit code is decided: that of statuses where several apply, what is content last."""


FOUND: Final = ("FAILED", "BLOCKED")
"""How the names of statuses begin that say something about code."""
TOLD_FIRST: Final = tuple(sorted(WORST_FIRST, key=lambda status: not status.startswith(FOUND)))
"""The order of counts and tables: what was found about code stands before tickets that could not run."""


def worst(statuses: Iterable[Status], order: Sequence[Status] = WORST_FIRST) -> Status | None:
    """The status that a batch exits with, or the first of another order; None for no ticket."""
    return min(statuses, key=order.index, default=None)


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts of a batch while it runs; one thread at a time."""

    total: int
    """Tickets of the batch."""
    counts: Counter[Status] = field(default_factory=Counter)
    cost_usd: Decimal = Decimal(0)
    """Of the outcomes whose cost is known."""
    unknown_costs: int = 0
    """Outcomes whose cost is not: a model without a price was asked."""
    sandbox_s: float = 0.0
    """Time that commands ran in containers, all together."""
    resumed: int = 0
    """Tickets that were done before this process began."""
    failed: list[str] = field(default_factory=list)
    """Tickets about whose code something was found, in the order in which they ended."""

    def add(self, outcome: Outcome, *, earlier: bool = False) -> None:
        """Count an outcome.

        Args:
            outcome: of one ticket.
            earlier: it was recorded before this process began, and says nothing about its speed.
        """
        self.counts[outcome.status] += 1
        self.cost_usd += outcome.cost_usd or Decimal(0)
        self.unknown_costs += outcome.cost_usd is None
        self.sandbox_s += sum(stage.sandbox_s for stage in outcome.stages)
        self.resumed += earlier
        if outcome.status.startswith(FOUND):
            self.failed.append(outcome.ticket_id)

    @property
    def done(self) -> int:
        """Tickets with an outcome."""
        return self.counts.total()

    @property
    def fraction(self) -> float:
        """Share of tickets with an outcome, 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 1.0

    def left_s(self, elapsed_s: float) -> float | None:
        """Seconds until the end at the pace so far; None while nothing is known.

        Args:
            elapsed_s: since this process began to work.
        """
        own = self.done - self.resumed
        return elapsed_s / own * (self.total - self.done) if own else None

    def words(self) -> str:
        """`1 FAILED_ADVERSARIAL, 1 ERROR, 3 PASS_WEAK`: what was found first."""
        return ", ".join(f"{self.counts[status]} {status}" for status in TOLD_FIRST if self.counts[status])
