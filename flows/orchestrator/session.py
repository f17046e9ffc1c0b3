"""A run's session with Prefect: a server that answers, its settings and environment, and the end of its senders."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit

from flows.orchestrator.lost_server import given_up_when_lost
from flows.orchestrator.server import LOOPBACK_HOSTS, ServerFiles, server_lease
from flows.streams import say
from refute.research.settings import ReaderName
from refute.settings import Settings
from refute.settings_fields import TesterName
from refute.sweep import sweep_if_due

CLIENT_RETRIES: Final = 5
"""Each waits twice as long as the one before: SQLite under load refuses at once what succeeds a while later."""
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


@contextmanager
def on_running_server(settings: Settings) -> Iterator[str | None]:
    """Prefect's settings for the server that runs; yields its API's URL, None where none runs: none is started."""
    if not os.environ.get("PREFECT_API_URL") and ServerFiles.of(settings).server() is None:
        yield None
        return
    with prefect_session(settings) as api_url:
        yield api_url


@contextmanager
def prefect_session(settings: Settings) -> Iterator[str]:
    """A server, and Prefect's settings for runs on it; yields the API's URL."""
    ours = not os.environ.get("PREFECT_API_URL")  # on a configured server deployments/apply.py makes what is needed
    with server_lease(settings, say=say) as api_url, environment(api_url):
        from prefect.settings import (
            PREFECT_API_URL,
            PREFECT_CLIENT_MAX_RETRIES,
            PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
            temporary_settings,
        )

        # With heartbeats a sync flow run waits about a second at its end for their thread (ADR 22).
        # Each further try doubles the wait: a server that is gone would hold a finished run for minutes.
        overrides = {
            PREFECT_API_URL: api_url,
            PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None,
            PREFECT_CLIENT_MAX_RETRIES: CLIENT_RETRIES,
        }
        with temporary_settings(overrides), given_up_when_lost(api_url, say=say):
            if ours and (TesterName.GEMINI in settings.testers or settings.research.model is not ReaderName.SCRIPTED):
                _make_model_limit(settings)
            try:
                yield api_url
            finally:
                _send_what_waits()
        sweep_if_due(settings)


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


@contextmanager
def environment(api_url: str) -> Iterator[None]:
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
