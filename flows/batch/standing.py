"""How a batch stands, in words: the same on a terminal, in a run's log and on the run's page."""

from refute.batch.tally import Tally
from reports.wording import duration, spent


def paid(tally: Tally) -> str:
    """What the tickets that are done cost together."""
    return spent(tally.cost_usd, tally.unknown_costs)


def standing(tally: Tally, left_s: float | None) -> str:
    """Counts, cost and the time that is left.

    Args:
        tally: of the batch.
        left_s: how long the rest is likely to take; None where nothing can be said yet.
    """
    left = f", about {duration(left_s)} left" if left_s and tally.done < tally.total else ""
    return f"{tally.words()}; {paid(tally)}{left}"
