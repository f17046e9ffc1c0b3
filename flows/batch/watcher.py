"""Who watches a batch. Called from several threads; no verdict depends on it."""

from refute.batch.tally import Tally
from refute.outcome import Outcome


class BatchWatcher:
    """Looks away."""

    def opened(self, batch_id: str, tally: Tally) -> None:
        """The tickets are known."""

    def began(self, ticket_id: str) -> None:
        """Work on a ticket begins."""

    def ended(self, outcome: Outcome, tally: Tally, left_s: float | None) -> None:
        """A ticket's outcome was recorded and counted."""

    def told(self, message: str) -> None:
        """Something beside the verdicts that a person should know."""
