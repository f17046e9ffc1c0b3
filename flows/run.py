"""Run the flow ad hoc: hold a Prefect server, quieten its console, call the flow, hand back the outcomes."""

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from flows.batch.watcher import BatchWatcher
from flows.console import Console, attached, listening
from flows.interruption import WORDS, saying_what_is_kept
from flows.orchestrator.server import answers
from flows.orchestrator.session import prefect_session
from flows.streams import say
from refute.errors import OrchestratorUnavailable, RefuteError
from refute.observer import StageObserver, Unwatched
from refute.outcome import Outcome
from refute.settings import Settings

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

    from flows.batch.request import BatchRequest
    from flows.batch.result import BatchResult
    from flows.request import VerifyRequest

Result = TypeVar("Result")


def run_tickets(
    requests: Iterable["VerifyRequest"], settings: Settings, *, observer: StageObserver | None = None
) -> Iterator[Outcome]:
    """Verify tickets one after the other through the Prefect flow, on one server.

    Args:
        requests: what to verify.
        settings: those of the server and its state directory; each request has its own for the run.
        observer: sees every run's stages.

    Yields:
        Each outcome as soon as it is recorded.

    Raises:
        OrchestratorUnavailable: no server answers and none could be started.
        UsageError: a ticket or its files cannot be used.
    """
    with saying_what_is_kept() as kept, prefect_session(settings) as api_url:
        from flows.verify_ticket import verify_ticket

        console = Console(api_url=api_url, observer=observer or Unwatched())
        for request in requests:
            outcome = _call(partial(verify_ticket, request), console, Outcome)
            kept.append(f"{outcome.ticket_id} had ended {outcome.status}, which is recorded")
            yield outcome


def run_flow(
    make: Callable[[], Callable[..., "State[Any]"]],
    result: type[Result],
    settings: Settings,
    observer: StageObserver | None = None,
) -> Result:
    """Run a flow that hands back its result; raises as `run_tickets`.

    Args:
        make: gives the flow with its parameters; Prefect may be imported in it.
        result: its type.
        settings: of the run.
        observer: sees the stages of tickets in it.
    """
    with saying_what_is_kept(), prefect_session(settings) as api_url:
        return _call(make(), Console(api_url=api_url, observer=observer or Unwatched()), result)


def run_batch(request: "BatchRequest", settings: Settings, *, watcher: BatchWatcher) -> "BatchResult":
    """Verify many tickets through the Prefect flow.

    Args:
        request: which tickets, and how.
        settings: as in `run_tickets`.
        watcher: sees the batch go by.

    Raises:
        OrchestratorUnavailable: no server answers and none could be started.
        UsageError, TicketNotFound, LedgerUnavailable: the batch cannot be opened, or not go on.
    """
    with saying_what_is_kept() as kept, prefect_session(settings) as api_url:
        from prefect import tags

        from flows.batch.request import LATEST
        from flows.batch.result import BatchResult
        from flows.verify_batch import verify_batch

        with tags(*(name for name in (request.batch_id, request.resume) if name and name != LATEST)):
            console = Console(api_url=api_url, watcher=watcher)
            result = _call(partial(verify_batch, request), console, BatchResult)
        kept.append(f"batch {result.batch_id}: {result.words()}")
        return result


def _call(flow: Callable[..., "State[Any]"], console: Console, result: type[Result]) -> Result:
    """Run a flow for the command line; what it raised is raised, unless what it was for is recorded.

    Args:
        flow: called with `return_state`.
        console: who watches.
        result: type of what it hands back once it is recorded.
    """
    with listening() as heard:
        try:
            with attached(console), _ended_like_ctrl_c():
                state = flow(return_state=True)
        except (Exception, KeyboardInterrupt) as error:
            for one in heard:
                if isinstance(one, result):
                    why = type(error).__name__
                    say(f"the outcome is recorded; the Prefect server at {console.api_url} did not receive it ({why})")
                    return one
                if isinstance(one, Exception):
                    raise one from error
            if isinstance(error, RefuteError | KeyboardInterrupt) or not _is_from_server(error, console.api_url):
                raise
            raise _refused(console.api_url, error) from error
    for one in heard:
        if isinstance(one, result):
            return one
    state.result()  # raises what the flow raised
    raise TypeError(f"the flow run ended without a {result.__name__}, expected one")


@contextmanager
def _ended_like_ctrl_c() -> Iterator[None]:
    """Prefect's own word for SIGTERM, between its beginning of a run and ours, as an interruption."""
    from prefect.exceptions import TerminationSignal

    try:
        yield
    except TerminationSignal as end:
        raise KeyboardInterrupt(WORDS[signal.SIGTERM]) from end


def _refused(api_url: str, error: BaseException) -> OrchestratorUnavailable:
    return OrchestratorUnavailable(
        f"the Prefect server at {api_url} did not take the run: {error}; nothing was executed",
        hint="Run the command again, or look whether it is a Prefect server that answers there.",
    )


def _is_from_server(error: BaseException, api_url: str) -> bool:
    """Whether the orchestrator failed, not refute."""
    import httpx
    from prefect.exceptions import PrefectException

    return (
        isinstance(error, httpx.HTTPError | PrefectException)
        or "Failed to reach API" in str(error)
        or not answers(api_url)
    )
