"""Who started a flow from the command line, and watches it there. A worker runs the flow without."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flows.batch.watcher import BatchWatcher
from flows.batch.watcher import Unwatched as UnwatchedBatch
from refute.observer import StageObserver, Unwatched

if TYPE_CHECKING:
    from flows.batch.answers import Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """The command line's side of a run that it carries out itself."""

    api_url: str
    """The Prefect server."""
    observer: StageObserver = field(default_factory=Unwatched)
    """Sees the stages of a ticket."""
    watcher: BatchWatcher = field(default_factory=UnwatchedBatch)
    """Sees a batch."""
    ask: "Ask | None" = None
    """Puts a batch's list to a person; None where nobody can be asked."""


_CURRENT: ContextVar[Console | None] = ContextVar("refute_console", default=None)


def current_console() -> Console | None:
    """The console of this run; None where a worker runs it."""
    return _CURRENT.get()


@contextmanager
def attached(console: Console) -> Iterator[None]:
    """Have the flows that this block calls run for a console."""
    token = _CURRENT.set(console)
    try:
        yield
    finally:
        _CURRENT.reset(token)
