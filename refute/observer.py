"""Who watches a run: told when a stage begins and what it came to. No verdict depends on what a watcher does."""

from typing import Protocol

from refute.outcome import StageRecord


class StageObserver(Protocol):
    """Sees the stages of one run go by."""

    def began(self, stage: str) -> None:
        """A stage begins."""
        ...

    def ended(self, record: StageRecord) -> None:
        """A stage returned its record; one that stops the run or fails does not come here."""
        ...

    def warned(self, message: str) -> None:
        """Something beside the verdict went wrong, and a person should know."""
        ...


class Watchers:
    """Several who watch the same run.

    Args:
        watchers: told in this order.
    """

    def __init__(self, *watchers: StageObserver) -> None:
        self._watchers = watchers

    def began(self, stage: str) -> None:
        """Tell all."""
        for watcher in self._watchers:
            watcher.began(stage)

    def ended(self, record: StageRecord) -> None:
        """Tell all."""
        for watcher in self._watchers:
            watcher.ended(record)

    def warned(self, message: str) -> None:
        """Tell all."""
        for watcher in self._watchers:
            watcher.warned(message)


class Unwatched:
    """Nobody looks."""

    def began(self, stage: str) -> None:
        """Nothing."""

    def ended(self, record: StageRecord) -> None:
        """Nothing."""

    def warned(self, message: str) -> None:
        """Nothing."""
