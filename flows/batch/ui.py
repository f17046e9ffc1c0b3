"""What a batch leaves in the Prefect UI: its progress while it runs, and a summary with the worst tickets first."""

import contextlib
import time
from typing import TYPE_CHECKING, Final, cast

from prefect.artifacts import create_markdown_artifact, create_progress_artifact, update_progress_artifact

from flows.batch.result import BatchResult
from refute.batch.tally import WORST_FIRST, Tally
from refute.guardrails.plain_text import markdown_text, on_one_line
from refute.ledger.batches import Batches
from reports.wording import counted, mark, money

if TYPE_CHECKING:
    from uuid import UUID

UPDATE_S: Final = 3.0
ROWS_SHOWN: Final = 500
MAX_CELL_CHARS: Final = 300
PROGRESS_KEY: Final = "batch-progress"
SUMMARY_KEY: Final = "batch-summary"


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
        share = round(100 * tally.fraction, 1)
        said = f"{self._batch_id}: {tally.done} of {counted(tally.total, 'ticket')}, {money(tally.cost_usd)}"
        with contextlib.suppress(Exception):
            if self._artifact is None:
                created = create_progress_artifact(share, key=PROGRESS_KEY, description=said)
                self._artifact = cast("UUID", created)  # also typed for coroutines, where it must be awaited
            else:
                update_progress_artifact(self._artifact, share, description=said)

    def close(self, result: BatchResult, batches: Batches) -> None:
        """Leave the summary."""
        self.progress(result.tally, now=True)
        with contextlib.suppress(Exception):
            text = render_summary(result, batches)
            create_markdown_artifact(key=SUMMARY_KEY, markdown=text, description=result.words())


def render_summary(result: BatchResult, batches: Batches) -> str:
    """The batch as Markdown: counts, then a row per ticket that links to its run, the worst first."""
    rows = [
        (one.status, one.ticket_id, one.title, one.reason, one.flow_run_url)
        for one in batches.outcomes(result.batch_id)
    ]
    rows.sort(key=lambda row: WORST_FIRST.index(row[0]))
    cost = money(result.tally.cost_usd)
    lines = [
        f"# {mark(result.status)} {markdown_text(result.batch_id)}",
        f"**{counted(result.tally.total, 'ticket')}**: {result.words()}; {cost}",
        "| Status | Ticket | Why |\n| --- | --- | --- |",
    ]
    table = [
        f"| {status} | {_linked(_cell(ticket_id), url)} {_cell(title)} | {_cell(on_one_line(reason))} |"
        for status, ticket_id, title, reason, url in rows[:ROWS_SHOWN]
    ]
    lines[-1] = "\n".join([lines[-1], *table])
    if len(rows) > ROWS_SHOWN:
        lines.append(f"and {len(rows) - ROWS_SHOWN} more")
    return "\n\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return markdown_text(text, max_chars=MAX_CELL_CHARS)


def _linked(text: str, url: str) -> str:
    return f"[{text}]({url})" if url.startswith(("http://", "https://")) else text
