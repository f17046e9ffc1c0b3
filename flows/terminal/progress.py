"""What a person sees while a run goes on: each stage with what it came to, and a clock where one takes long."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from flows.streams import say
from refute.guardrails.plain_text import printable
from refute.outcome import Outcome, StageRecord

if TYPE_CHECKING:
    from rich.progress import Progress

LONG: Final = frozenset({"verify", "attack", "strength", "rework"})
"""Stages that run a container, for minutes where the limits allow: also named when they begin."""
SILENT: Final = frozenset({"confirm", "judge", "outcome"})
"""A prompt, and what follows the verdict: a clock would stand in the way."""


class StageLines:
    """Writes to stderr: a line for each stage that ended and, on a terminal, a clock for the one that runs.

    Args:
        lines: False leaves only the clock, for a batch.
    """

    def __init__(self, *, lines: bool = True) -> None:
        self._lines = lines
        self._terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._clock: Progress | None = None

    def began(self, stage: str) -> None:
        """Start the clock or, without a terminal, name a stage that takes long."""
        self.stop()
        if self._terminal and stage not in SILENT:
            self._clock = _clock(stage)
        elif self._lines and stage in LONG:
            say(f"{stage} …")

    def ended(self, record: StageRecord) -> None:
        """Say what the stage came to."""
        self.stop()
        if self._lines:
            summary = printable(record.summary, max_chars=200, keep_newlines=False)
            say(f"{record.name:<11} {summary}  ({record.duration_s:.1f} s)")

    def warned(self, message: str) -> None:
        """Say what a person should know beside the verdict."""
        self.stop()
        say(f"warning: {printable(message, max_chars=1_000)}")

    def closed(self, outcome: Outcome) -> None:
        """Nothing: the command shows the outcome."""

    def stop(self) -> None:
        """Take the clock away."""
        if self._clock is not None:
            self._clock.stop()
            self._clock = None


@contextmanager
def watching(*, lines: bool = True) -> Iterator[StageLines]:
    """An observer whose clock is gone when the block ends."""
    shown = StageLines(lines=lines)
    try:
        yield shown
    finally:
        shown.stop()


def _clock(stage: str) -> "Progress":
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<12}"), TimeElapsedColumn(), SpinnerColumn("line"))
    clock = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    clock.add_task(stage, total=None)
    clock.start()
    return clock
