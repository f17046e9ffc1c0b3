"""Who watches a batch. Called from several threads; no verdict depends on it."""

from typing import TYPE_CHECKING, Protocol

from refute.batch.tally import Tally
from refute.outcome import Outcome

if TYPE_CHECKING:
    from flows.batch.result import BatchResult


class BatchWatcher(Protocol):
    """Sees a batch go by, and keeps how it ended: Prefect, whose server may be gone by then, need not hand it back."""

    result: "BatchResult | None"
    """Once it has ended."""
    error: Exception | None
    """Why it could not go on, where it could not."""

    def opened(self, batch_id: str, tally: Tally) -> None:
        """The tickets are known."""
        ...

    def began(self, ticket_id: str) -> None:
        """Work on a ticket begins."""
        ...

    def ended(self, outcome: Outcome, tally: Tally, left_s: float | None) -> None:
        """A ticket's outcome was recorded and counted."""
        ...

    def told(self, message: str) -> None:
        """Something beside the verdicts that a person should know."""
        ...

    def failed(self, error: Exception) -> None:
        """It cannot go on; what is recorded stays."""
        ...

    def closed(self, result: "BatchResult") -> None:
        """It has ended."""
        ...


class Unwatched:
    """Nobody looks."""

    result: "BatchResult | None" = None
    error: Exception | None = None

    def opened(self, batch_id: str, tally: Tally) -> None:
        """Nothing."""

    def began(self, ticket_id: str) -> None:
        """Nothing."""

    def ended(self, outcome: Outcome, tally: Tally, left_s: float | None) -> None:
        """Nothing."""

    def told(self, message: str) -> None:
        """Nothing."""

    def failed(self, error: Exception) -> None:
        """Keep why."""
        self.error = error

    def closed(self, result: "BatchResult") -> None:
        """Keep how."""
        self.result = result
