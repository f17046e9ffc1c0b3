"""A batch that a worker runs says in its run's log what a terminal would show."""

from prefect.logging import get_run_logger

from flows.batch.standing import standing
from refute.batch.tally import Tally
from refute.guardrails.plain_text import printable
from refute.outcome import Outcome


class RunLog:
    """Writes to the log of the current flow run; may be called from its threads."""

    def __init__(self) -> None:
        self._log = get_run_logger()

    def opened(self, batch_id: str, tally: Tally) -> None:
        """Name the batch."""
        self._log.info("batch %s: %d tickets, %d done before", batch_id, tally.total, tally.done)

    def began(self, ticket_id: str) -> None:
        """Nothing: the ticket's task run says it."""

    def ended(self, outcome: Outcome, tally: Tally, left_s: float | None) -> None:
        """Say how a ticket ended and how the batch stands."""
        stands = standing(tally, left_s)
        self._log.info("[%d/%d] %s: %s | %s", tally.done, tally.total, outcome.ticket_id, outcome.status, stands)

    def told(self, message: str) -> None:
        """Pass on a warning."""
        self._log.warning(printable(message, max_chars=1_000))
