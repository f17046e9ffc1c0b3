"""Who started a flow from the command line, watches it there and gets its result. A worker runs the flow without."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from flows.batch.watcher import BatchWatcher
from refute.observer import StageObserver, Unwatched


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """The command line's side of a run that it carries out itself."""

    api_url: str
    """The Prefect server."""
    observer: StageObserver = field(default_factory=Unwatched)
    """Sees the stages of a ticket."""
    watcher: BatchWatcher = field(default_factory=BatchWatcher)
    """Sees a batch."""


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


_HANDED_BACK: ContextVar[list[Any] | None] = ContextVar("refute_handed_back", default=None)


@contextmanager
def listening() -> Iterator[list[Any]]:
    """Hear what flows that the block calls hand back; yields the list that it is put in."""
    heard: list[Any] = []
    token = _HANDED_BACK.set(heard)
    try:
        yield heard
    finally:
        _HANDED_BACK.reset(token)


def hand_back(result: object) -> None:
    """Give a result, or an error, to whoever listens: Prefect, whose server may be gone by then, need not do it."""
    heard = _HANDED_BACK.get()
    if heard is not None:
        heard.append(result)
