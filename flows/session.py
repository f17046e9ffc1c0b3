"""What the command line shares with the flow that it runs, besides the flow's parameters.

A worker runs the flow without any of it. Prefect hands an outcome back as the run's state, which it must first store:
where its server is gone, the outcome that was recorded is still here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from refute.observer import StageObserver, Unwatched
from refute.outcome import Outcome


@dataclass(slots=True, kw_only=True)
class Session:
    """One run as the process that started it sees it."""

    observer: StageObserver = field(default_factory=Unwatched)
    recorded: Outcome | None = None
    """The outcome, once the ledger holds it."""


_CURRENT: ContextVar[Session] = ContextVar("refute_session")


@contextmanager
def session(observer: StageObserver) -> Iterator[Session]:
    """Make a session the current one."""
    token = _CURRENT.set(Session(observer=observer))
    try:
        yield _CURRENT.get()
    finally:
        _CURRENT.reset(token)


def current_session() -> Session:
    """The session of this run; one that nobody watches where none was made."""
    return _CURRENT.get(None) or Session()
