"""What a batch leaves in the Prefect UI: its log and its progress while it runs, then a summary, failures first."""

import contextlib
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from prefect.artifacts import create_markdown_artifact, create_progress_artifact, update_progress_artifact
from prefect.logging import get_run_logger

from flows.batch.lines import BatchLines
from flows.batch.progress import paid
from flows.batch.result import SUMMARY_KEY, BatchResult
from flows.orchestrator.server import still_answers
from flows.states import GOOD
from refute.batch.tally import TOLD_FIRST, Tally
from refute.guardrails.plain_text import markdown_text, printable
from refute.ledger.batches import Batches
from refute.outcome import Outcome, Status
from refute.wording import counted
from reports.artifacts import path_of
from reports.sections import Link, markdown_table
from reports.wording import mark, why
from tasks.outcome import CLIENT_ERRORS

if TYPE_CHECKING:
    from uuid import UUID

UPDATE_S: Final = 3.0
ROWS_SHOWN: Final = 500
LINES_LOGGED: Final = 20
PROGRESS_KEY: Final = "batch-progress"


class Row(NamedTuple):
    """What the summary tells of one ticket, whose outcome may be megabytes."""

    status: Status
    ticket_id: str
    why: str
    title: str
    url: str
    """Of its task run."""


def row_of(outcome: Outcome) -> Row:
    """The row of an outcome."""
    return Row(outcome.status, outcome.ticket_id, why(outcome), outcome.title, outcome.flow_run_url)


class BatchPage:
    """The artifacts of one batch run. Views of what the ledger holds: where Prefect fails, the batch goes on."""

    def __init__(self, batch_id: str) -> None:
        self._batch_id = batch_id
        self._artifact: UUID | None = None
        self._shown_at = 0.0

    def progress(self, tally: Tally, *, now: bool = False) -> None:
        """Show how far it has come; at most every few seconds."""
        if not now and time.monotonic() - self._shown_at < UPDATE_S:
            return
        self._shown_at = time.monotonic()
        if not still_answers():  # one that is gone would hold the batch for a minute of tries
            return
        share = round(100 * tally.fraction, 1)
        said = f"{self._batch_id}: {tally.done} of {counted(tally.total, 'ticket')}, {paid(tally)}"
        with contextlib.suppress(*CLIENT_ERRORS):  # a view of what the ledger holds
            if self._artifact is None:
                created = create_progress_artifact(share, key=PROGRESS_KEY, description=said)
                self._artifact = cast("UUID", created)  # also typed for coroutines, where it must be awaited
            else:
                update_progress_artifact(self._artifact, share, description=said)

    def close(self, result: BatchResult, batches: Batches) -> None:
        """Leave the summary."""
        if not still_answers():  # as above
            return
        self.progress(result.tally, now=True)
        with contextlib.suppress(*CLIENT_ERRORS):
            rows = summary_rows(result, batches)
            create_markdown_artifact(key=SUMMARY_KEY, markdown=render_summary(result, rows), description=result.words())
            for line in closing_lines(rows):
                get_run_logger().error(line)
            if not result.interrupted:  # whoever ended it waits for the prompt
                self._tables(batches)

    def _tables(self, batches: Batches) -> None:
        from flows.report_tables import leave_batch_tables  # late: pandas, once everything has run

        leave_batch_tables(batches.ledger, self._batch_id)


class RunLog(BatchLines):
    """A batch that a worker runs says in its run's log what a terminal would show."""

    def __init__(self) -> None:
        super().__init__(terminal=False)
        self._log = get_run_logger()

    def told(self, message: str) -> None:
        """Pass on a warning."""
        self._log.warning(printable(message, max_chars=1_000))

    def _write(self, line: str) -> None:
        self._log.info("%s", line)


def summary_rows(result: BatchResult, batches: Batches) -> list[Row]:
    """A row per ticket with an outcome: what was found about code first."""
    rows = map(row_of, batches.outcomes(result.batch_id))
    return sorted(rows, key=lambda row: TOLD_FIRST.index(row.status))


def render_summary(result: BatchResult, rows: Sequence[Row]) -> str:
    """The batch as Markdown: counts, then a row per ticket that links to its run.

    The table is wider than the page: what is read first stands first, titles last.
    """
    cells = [(row.status, Link(text=row.ticket_id, path=path_of(row.url)), row.why, row.title) for row in rows]
    parts = [
        f"# {mark(result.headline)} {markdown_text(result.batch_id)}",
        f"**{counted(result.tally.total, 'ticket')}**: {result.words()}; {paid(result.tally)}",
        markdown_table(("Status", "Ticket", "Why", "Title"), cells[:ROWS_SHOWN]),
        *([f"and {len(rows) - ROWS_SHOWN} more"] if len(rows) > ROWS_SHOWN else []),
    ]
    return "\n\n".join(parts) + "\n"


def closing_lines(rows: Sequence[Row]) -> list[str]:
    """What needs somebody, for the end of the run's log: whoever opens the run looks there."""
    bad = [row for row in rows if row.status not in GOOD]
    lines = [f"{row.ticket_id}: {row.status}: {row.why}" for row in bad[:LINES_LOGGED]]
    return lines + ([f"and {len(bad) - LINES_LOGGED} more: artifact {SUMMARY_KEY}"] if len(bad) > LINES_LOGGED else [])
