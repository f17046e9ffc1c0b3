"""What the command line shares with the flow that it runs, besides the flow's parameters.

A worker runs the flow without any of it. Prefect hands an outcome back as the run's state, which it must first store:
where its server is gone, the outcome that was recorded is still here.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flows.batch.watcher import BatchWatcher
from flows.batch.watcher import Unwatched as UnwatchedBatch
from flows.orchestrator.server import answers
from refute.errors import InfrastructureError
from refute.observer import StageObserver, Unwatched
from refute.outcome import Outcome

if TYPE_CHECKING:
    from flows.batch.answers import Ask
    from flows.batch.result import BatchResult

ANSWER_TIMEOUT_S = 15.0


@dataclass(slots=True, kw_only=True)
class Session:
    """One run as the process that started it sees it."""

    observer: StageObserver = field(default_factory=Unwatched)
    api_url: str = ""
    """The Prefect server; empty where a worker started the run, and knows its own."""
    recorded: Outcome | None = None
    """The outcome, once the ledger holds it."""
    watcher: BatchWatcher = field(default_factory=UnwatchedBatch)
    """Who watches, where the run is a batch."""
    ask: "Ask | None" = None
    """Puts a batch's list to a person; None where nobody can be asked."""
    batch: "BatchResult | None" = None
    """How a batch ended, once it has."""
    failure: InfrastructureError | None = None
    """Why a batch that was opened could not go on."""
    _stack: ExitStack = field(default_factory=ExitStack)

    def lost_server(self) -> bool:
        """Whether the server went away; if so it is tried no more, as each call would be repeated for half a minute."""
        if not self.api_url or answers(self.api_url, timeout_s=ANSWER_TIMEOUT_S):
            return False
        from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, PREFECT_LOGGING_TO_API_ENABLED, temporary_settings

        given_up = {PREFECT_CLIENT_MAX_RETRIES: 0, PREFECT_LOGGING_TO_API_ENABLED: False}
        self._stack.enter_context(temporary_settings(given_up))
        return True

    def close(self) -> None:
        """Put Prefect's settings back."""
        self._stack.close()


_CURRENT: ContextVar[Session] = ContextVar("refute_session")


@contextmanager
def session(
    observer: StageObserver, api_url: str, *, watcher: BatchWatcher | None = None, ask: "Ask | None" = None
) -> Iterator[Session]:
    """Make a session the current one."""
    current = Session(observer=observer, api_url=api_url, watcher=watcher or UnwatchedBatch(), ask=ask)
    token = _CURRENT.set(current)
    try:
        yield current
    finally:
        current.close()
        _CURRENT.reset(token)


def current_session() -> Session:
    """The session of this run; one that nobody watches where none was made."""
    return _CURRENT.get(None) or Session()
