"""Run the flow ad hoc: hold a Prefect server, quieten its console, call the flow, hand back the outcomes."""

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from flows.batch.watcher import BatchWatcher
from flows.console import Console, attached
from flows.interruption import WORDS, saying_what_is_kept
from flows.orchestrator.server import answers
from flows.orchestrator.session import prefect_session, say
from refute.errors import OrchestratorUnavailable, RefuteError
from refute.observer import StageObserver, Unwatched, Watchers
from refute.outcome import Outcome
from refute.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from prefect.client.schemas.objects import State

    from flows.batch.answers import Ask
    from flows.batch.request import BatchRequest
    from flows.batch.result import BatchResult
    from flows.request import VerifyRequest
    from refute.critics.focus import Focus
    from refute.research.fetching import Fetcher
    from refute.research.record import Findings, Goal, Mode
    from refute.stages.evidence import Critique

Heard = TypeVar("Heard")


class _Heard(Unwatched):
    """Keeps the outcome that a run tells of: Prefect, whose server may be gone, need not hand it back."""

    def __init__(self) -> None:
        self._outcome: Outcome | None = None

    def closed(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def is_over(self) -> bool:
        return self._outcome is not None

    def told(self) -> Outcome:
        if self._outcome is None:
            raise TypeError("the flow run ended without an outcome, expected one")
        return self._outcome


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

        for request in requests:
            heard = _Heard()
            console = Console(api_url=api_url, observer=Watchers(observer or Unwatched(), heard))
            _call(partial(verify_ticket, request), console, heard.is_over)
            outcome = heard.told()
            kept.append(f"{outcome.ticket_id} had ended {outcome.status}, which is recorded")
            yield outcome


def run_review(ticket: "Path", focuses: "Sequence[Focus]", settings: Settings, *, remediation: bool) -> "Critique":
    """Have critics look at a ticket through the Prefect flow; raises as `run_tickets`.

    Args:
        ticket: directory or file.
        focuses: the critics to ask; empty: the ticket's own.
        settings: of the run.
        remediation: whether a remedy is asked for what is confirmed.
    """

    def make(hear: Callable[["Critique"], None]) -> Callable[..., "State[Any]"]:
        from flows.review_ticket import ReviewRequest, review_ticket

        request = ReviewRequest(
            ticket=ticket,
            focuses=tuple(focuses),
            remediation=remediation,
            settings=settings,
            hear=lambda _, critique: hear(critique),
        )
        return partial(review_ticket, request)

    return run_heard(make, settings)


def run_heard(
    make: Callable[[Callable[[Heard], None]], Callable[..., "State[Any]"]],
    settings: Settings,
    observer: StageObserver | None = None,
) -> Heard:
    """Run a flow that tells its result by a callback; raises as `run_tickets`.

    Args:
        make: the flow with its parameters, given the callback; Prefect may be imported in it.
        settings: of the run.
        observer: sees the stages of tickets in it.
    """
    with saying_what_is_kept(), prefect_session(settings) as api_url:
        heard: list[Heard] = []
        console = Console(api_url=api_url, observer=observer or Unwatched())
        _call(make(heard.append), console, lambda: bool(heard))
        return heard[0]


def run_research(
    goal: "Goal", mode: "Mode", settings: Settings, *, unsafe: bool = False, fetcher: "Fetcher | None" = None
) -> "Findings":
    """Read pages for a goal through the Prefect flow; raises as `run_tickets`, and SettingsInvalid.

    Args:
        goal: what is wanted, and the pages.
        mode: how they are treated.
        settings: of the run.
        unsafe: whether pages may command a real model in vulnerable mode.
        fetcher: by default the web.
    """
    with saying_what_is_kept(), prefect_session(settings) as api_url:
        from flows.research import ResearchRequest, research_pages
        from refute.research.fetching import WebFetcher

        heard: list[Findings] = []
        request = ResearchRequest(
            goal=goal.text,
            urls=goal.urls,
            mode=mode,
            unsafe=unsafe,
            settings=settings,
            fetcher=fetcher or WebFetcher(),
            hear=heard.append,
        )
        _call(partial(research_pages, request), Console(api_url=api_url), lambda: bool(heard))
        return heard[0]


def run_batch(
    request: "BatchRequest", settings: Settings, *, watcher: BatchWatcher, ask: "Ask | None" = None
) -> "BatchResult":
    """Verify many tickets through the Prefect flow.

    Args:
        request: which tickets, and how.
        settings: as in `run_tickets`.
        watcher: sees the batch go by.
        ask: puts the list to a person; None where nobody can be asked.

    Raises:
        OrchestratorUnavailable: no server answers and none could be started.
        UsageError, TicketNotFound, LedgerUnavailable: the batch cannot be opened, or not go on.
    """
    with saying_what_is_kept() as kept, prefect_session(settings) as api_url:
        from prefect import tags

        from flows.batch.request import LATEST
        from flows.verify_batch import verify_batch

        named = [name for name in (request.batch_id, request.resume) if name and name != LATEST]
        console = Console(api_url=api_url, watcher=watcher, ask=ask)
        with tags(*named):
            try:
                _call(partial(verify_batch, request), console, lambda: watcher.result is not None)
            except Exception as error:
                if watcher.error is not None:
                    raise watcher.error from error
                raise
        if watcher.result is None:
            raise TypeError("the flow run ended without a result, expected one")
        kept.append(f"batch {watcher.result.batch_id}: {watcher.result.words()}")
        return watcher.result


def _call(flow: Callable[..., "State[Any]"], console: Console, is_over: Callable[[], bool]) -> None:
    """Run a flow for the command line; what it raised is raised, unless what it was for is recorded.

    Args:
        flow: called with `return_state`.
        console: who watches.
        is_over: whether it has told how it ended.
    """
    try:
        with attached(console), _ended_like_ctrl_c():
            state = flow(return_state=True)
    except (Exception, KeyboardInterrupt) as error:
        if is_over():
            why = type(error).__name__
            say(f"the outcome is recorded; the Prefect server at {console.api_url} did not receive it ({why})")
            return
        if isinstance(error, RefuteError | KeyboardInterrupt) or not _is_from_server(error, console.api_url):
            raise
        raise _refused(console.api_url, error) from error
    if not is_over():
        state.result()  # raises what the flow raised


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
