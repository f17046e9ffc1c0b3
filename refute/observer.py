"""Who watches a run: told when a stage begins, what it came to, and the outcome. No verdict depends on a watcher."""

from typing import Protocol

from refute.outcome import Outcome, StageRecord


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

    def closed(self, outcome: Outcome) -> None:
        """The outcome is recorded."""
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

    def closed(self, outcome: Outcome) -> None:
        """Tell all."""
        for watcher in self._watchers:
            watcher.closed(outcome)


class Unwatched:
    """Nobody looks."""

    def began(self, stage: str) -> None:
        """Nothing."""

    def ended(self, record: StageRecord) -> None:
        """Nothing."""

    def warned(self, message: str) -> None:
        """Nothing."""

    def closed(self, outcome: Outcome) -> None:
        """Nothing."""


class OnlyOnce(Watchers):
    """Passes each warning on once, however often and by whichever thread it is given; all else as it comes.

    Args:
        watcher: gets what is passed on.
        said: warnings that were passed on; shared by those that are not to repeat one another.
    """

    def __init__(self, watcher: StageObserver, said: dict[str, object] | None = None) -> None:
        super().__init__(watcher)
        self._said = {} if said is None else said

    def warned(self, message: str) -> None:
        """Pass it on unless it was said before in the same words."""
        mine = object()
        if self._said.setdefault(message, mine) is mine:  # one step: of two threads only one finds its own
            super().warned(message)
