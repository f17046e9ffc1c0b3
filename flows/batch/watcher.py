"""Who watches a batch. Called from several threads; no verdict depends on it."""

from typing import TYPE_CHECKING, Protocol

from refute.batch.tally import Tally
from refute.guardrails.plain_text import printable
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


class RunLog(Unwatched):
    """A batch that a worker runs says in its run's log what a terminal would show."""

    def __init__(self) -> None:
        from prefect.logging import get_run_logger

        self._log = get_run_logger()

    def opened(self, batch_id: str, tally: Tally) -> None:
        """Name the batch."""
        self._log.info("batch %s: %d tickets, %d done before", batch_id, tally.total, tally.done)

    def ended(self, outcome: Outcome, tally: Tally, left_s: float | None) -> None:
        """Say how a ticket ended and how far the batch is."""
        from flows.batch.progress import in_words

        said = in_words(tally, left_s)
        self._log.info("[%d/%d] %s: %s | %s", tally.done, tally.total, outcome.ticket_id, outcome.status, said)

    def told(self, message: str) -> None:
        """Pass on a warning."""
        self._log.warning(printable(message, max_chars=1_000))
