"""A run's log in the Prefect UI tells what each stage came to, whoever started the run."""

import contextlib
from typing import TYPE_CHECKING, Any, Final

from prefect.exceptions import MissingContextError
from prefect.logging import get_run_logger

from flows.states import GOOD
from refute.guardrails.plain_text import on_one_line, printable
from refute.outcome import Outcome, StageRecord
from reports.wording import counterexample, duration

if TYPE_CHECKING:
    import logging

FAILURES_SHOWN: Final = 5


class RunStory:
    """Writes to the log of the current flow or task run; to none where Prefect knows of no run.

    Args:
        about: the ticket, where the log is that of a whole batch too.
    """

    def __init__(self, about: str = "") -> None:
        self._about = f"{about}: " if about else ""
        self._log: logging.Logger | logging.LoggerAdapter[Any] | None = None
        with contextlib.suppress(MissingContextError):  # a ticket that Prefect took no task run for
            self._log = get_run_logger()

    def began(self, stage: str) -> None:
        """Nothing: a stage is a task run, or too short to be named twice."""

    def ended(self, record: StageRecord) -> None:
        """Say what the stage came to."""
        if self._log is None:
            return
        contained = f", {duration(record.sandbox_s)} in a container" if record.sandbox_s else ""
        summary = printable(record.summary, max_chars=500, keep_newlines=False)
        self._log.info("%s%s: %s (%s%s)", self._about, record.name, summary, duration(record.duration_s), contained)

    def warned(self, message: str) -> None:
        """Pass on a warning."""
        if self._log is not None:
            self._log.warning("%s%s", self._about, printable(message, max_chars=1_000))

    def closed(self, outcome: Outcome) -> None:
        """Say how it ended and why: the log is the first thing that a run's page shows."""
        if self._log is None:
            return
        say = self._log.info if outcome.status in GOOD else self._log.error
        say("%s%s: %s", self._about, outcome.status, _line(on_one_line(outcome.reason)))
        for failure in outcome.failures[:FAILURES_SHOWN]:
            say("%s%s refuted: %s", self._about, failure.claim_violated, counterexample(failure))


def _line(text: str) -> str:
    return printable(text, max_chars=300, keep_newlines=False)
