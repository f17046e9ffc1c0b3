"""Run the flow ad hoc: hold a Prefect server, quieten its console, call the flow, hand back the outcomes."""

import functools
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from flows.interruption import WORDS, saying_what_is_kept
from flows.orchestrator.server import LOOPBACK_HOSTS, ServerFiles, answers, server_lease
from flows.session import session
from refute.errors import OrchestratorUnavailable, RefuteError
from refute.observer import StageObserver, Unwatched
from refute.outcome import Outcome
from refute.settings import Settings, TesterName

if TYPE_CHECKING:
    from flows.batch.answers import Ask
    from flows.batch.request import BatchRequest
    from flows.batch.result import BatchResult
    from flows.batch.watcher import BatchWatcher
    from flows.request import VerifyRequest

CLIENT_RETRIES: Final = 5
"""Each waits twice as long as the one before: SQLite under load refuses at once what succeeds a while later."""
CLOSING_S: Final = 2.0
"""How long a finished run waits for the marking of killed ones."""
EVENTS_S: Final = 10.0
"""How long a finished run waits until the server has its last events, of which Prefect makes task runs."""
CLIENT_ENVIRONMENT: Final[Mapping[str, str]] = {
    # refute talks to the person; Prefect's log is in its UI.
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
    # Nothing leaves the machine.
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
}


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
    with saying_what_is_kept() as kept, _prefect(settings) as api_url:
        from prefect import tags

        from flows.batch.crashed import process_tag

        closing = _close_killed_runs()
        for request in requests:
            with tags(process_tag()):
                outcome = _run(request, observer or Unwatched(), api_url)
            kept.append(f"{outcome.ticket_id} had ended {outcome.status}, which is recorded")
            yield outcome
        closing.join(timeout=CLOSING_S)


def run_batch(
    request: "BatchRequest", settings: Settings, *, watcher: "BatchWatcher", ask: "Ask | None" = None
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
    with saying_what_is_kept() as kept, _prefect(settings) as api_url:
        from prefect import tags

        from flows.batch.crashed import process_tag
        from flows.batch.request import LATEST
        from flows.verify_batch import result_of, verify_batch

        named = [name for name in (request.batch_id, request.resume) if name and name != LATEST]
        with session(Unwatched(), api_url, watcher=watcher, ask=ask) as current, tags(process_tag(), *named):
            try:
                with _ended_like_ctrl_c():
                    state = verify_batch(request, return_state=True)
            except (Exception, KeyboardInterrupt) as error:
                if current.batch is not None:
                    kept.append(f"batch {current.batch.batch_id}: {current.batch.words()}")
                    _say(f"the Prefect server at {api_url} was not told how the batch ended ({type(error).__name__})")
                    return current.batch
                if current.failure is not None:
                    raise current.failure from error
                if isinstance(error, RefuteError | KeyboardInterrupt) or not _is_from_server(error, api_url):
                    raise
                raise _refused(api_url, error) from error
            result = current.batch or result_of(state)
            kept.append(f"batch {result.batch_id}: {result.words()}")
            return result


@contextmanager
def _ended_like_ctrl_c() -> Iterator[None]:
    """Prefect's own word for SIGTERM, between its beginning of a run and ours, as an interruption."""
    from prefect.exceptions import TerminationSignal

    try:
        yield
    except TerminationSignal as end:
        raise KeyboardInterrupt(WORDS[signal.SIGTERM]) from end


def _close_killed_runs() -> threading.Thread:
    """Mark what killed runs left as running, beside this run: it costs the server's time and not the person's."""
    from flows.batch.crashed import TICKET_KILLED, close_crashed_runs

    # The thread takes over Prefect's settings, which are those of this context.
    close = functools.partial(copy_context().run, close_crashed_runs, "verify-ticket", message=TICKET_KILLED)
    thread = threading.Thread(target=close, name="refute-close-killed-runs", daemon=True)
    thread.start()
    return thread


@contextmanager
def on_running_server(settings: Settings) -> Iterator[str | None]:
    """Prefect's settings for the server that runs; yields its API's URL, None where none runs: none is started."""
    if not os.environ.get("PREFECT_API_URL") and ServerFiles.of(settings).server() is None:
        yield None
        return
    with _prefect(settings) as api_url:
        yield api_url


@contextmanager
def _prefect(settings: Settings) -> Iterator[str]:
    """A server, and Prefect's settings for runs on it; yields the API's URL."""
    ours = not os.environ.get("PREFECT_API_URL")  # on a configured server deployments/apply.py makes what is needed
    with server_lease(settings, say=_say) as api_url, _environment(api_url):
        from prefect.settings import (
            PREFECT_API_URL,
            PREFECT_CLIENT_MAX_RETRIES,
            PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
            temporary_settings,
        )

        # With heartbeats a sync flow run waits about a second at its end for their thread (ADR 0007).
        # Each further try doubles the wait: a server that is gone would hold a finished run for minutes.
        overrides = {
            PREFECT_API_URL: api_url,
            PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None,
            PREFECT_CLIENT_MAX_RETRIES: CLIENT_RETRIES,
        }
        with temporary_settings(overrides):
            if ours and TesterName.GEMINI in settings.testers:
                _make_model_limit(settings)
            try:
                yield api_url
            finally:
                _send_what_waits()


def _send_what_waits() -> None:
    """End Prefect's senders of events and logs: they keep the address of the server that they began with.

    A later run in this process may hold another server, which would never hear of its task runs.
    """
    from prefect.events.worker import EventsWorker

    EventsWorker.drain_all(timeout=EVENTS_S)


def _make_model_limit(settings: Settings) -> None:
    from prefect.client.orchestration import get_client

    from flows.orchestrator.model_limit import ensure_model_limit

    with get_client(sync_client=True) as client:
        ensure_model_limit(client, settings.model_requests)


def _run(request: "VerifyRequest", observer: StageObserver, api_url: str) -> Outcome:
    """One run; its outcome is handed back also where Prefect could not be told of it."""
    from flows.states import outcome_of
    from flows.verify_ticket import verify_ticket

    with session(observer, api_url) as current:
        try:
            with _ended_like_ctrl_c():
                state = verify_ticket(request, return_state=True)
            return outcome_of(state)
        except (Exception, KeyboardInterrupt) as error:
            if current.recorded is not None:
                _say(f"the Prefect server at {api_url} was not told how the run ended ({type(error).__name__})")
                return current.recorded
            if isinstance(error, RefuteError | KeyboardInterrupt) or not _is_from_server(error, api_url):
                raise
            raise _refused(api_url, error) from error


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


@contextmanager
def _environment(api_url: str) -> Iterator[None]:
    """What Prefect reads from the environment, for this run only: the next one in this process holds its own lease."""
    changes = {**CLIENT_ENVIRONMENT, "PREFECT_API_URL": api_url}
    host = urlsplit(api_url).hostname
    if host in LOOPBACK_HOSTS:
        # A person's HTTP_PROXY is for the world outside: a server on this machine is reached directly.
        for name in ("NO_PROXY", "no_proxy"):
            changes[name] = ",".join(filter(None, (os.environ.get(name), host)))
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # progress for the person; stdout carries data
