"""What a person sees of a batch: a line per ticket with counts, cost and time left; on a terminal also a bar."""

import os
import sys
import threading
from typing import TYPE_CHECKING

from flows.batch.progress import in_words
from flows.batch.watcher import BatchWatcher
from flows.streams import say
from refute.batch.tally import Tally
from refute.guardrails.plain_text import printable
from refute.outcome import Outcome
from refute.wording import counted
from reports.wording import duration

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class BatchLines(BatchWatcher):
    """Writes to stderr; may be called from several threads.

    Args:
        terminal: whether there is one; None looks.
    """

    def __init__(self, *, terminal: bool | None = None) -> None:
        there = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._terminal = there if terminal is None else terminal
        self._lock = threading.Lock()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self.batch_id = ""
        """Of the batch, once it is open."""

    def opened(self, batch_id: str, tally: Tally) -> None:
        """Name the batch first, so that it can be resumed whatever happens."""
        self.batch_id = batch_id
        before = f", {tally.done} done before" if tally.done else ""
        self._write(f"batch {batch_id}: {counted(tally.total, 'ticket')}{before}")

    def began(self, ticket_id: str) -> None:
        """Start the bar with the first ticket: before it, a person may be asked."""
        del ticket_id
        with self._lock:
            if self._terminal and self._bar is None:
                self._bar, self._task = _bar()

    def ended(self, outcome: Outcome, tally: Tally, left_s: float | None) -> None:
        """Say how a ticket ended and how far the batch is."""
        said = in_words(tally, left_s)
        self._write(
            f"[{tally.done}/{tally.total}] {outcome.ticket_id}: {outcome.status}"
            f"  ({duration(outcome.duration_s)})" + ("" if self._terminal else f"  | {said}")
        )
        with self._lock:
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, total=tally.total, completed=tally.done, description=said)

    def told(self, message: str) -> None:
        """Pass on a warning."""
        self._write(f"warning: {printable(message, max_chars=1_000)}")

    def stop(self) -> None:
        """Take the bar away."""
        with self._lock:
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def _write(self, line: str) -> None:
        with self._lock:
            if self._bar is not None:
                self._bar.console.print(line, markup=False, highlight=False)
            else:
                say(line)


def _bar() -> "tuple[Progress, TaskID]":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    task = bar.add_task("", total=None)
    bar.start()
    return bar, task
