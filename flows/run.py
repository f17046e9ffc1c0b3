"""Run the flow ad hoc: hold a Prefect server, quieten its console, call the flow, hand back the outcomes."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from flows.orchestrator.server import LOOPBACK_HOSTS, server_lease
from refute.outcome import Outcome
from refute.settings import Settings

if TYPE_CHECKING:
    from flows.request import VerifyRequest

CLIENT_ENVIRONMENT: Final[Mapping[str, str]] = {
    # refute talks to the person; Prefect's log is in its UI.
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    # Nothing leaves the machine.
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
}


def run_tickets(requests: Iterable["VerifyRequest"], settings: Settings) -> Iterator[Outcome]:
    """Verify tickets one after the other through the Prefect flow, on one server.

    Yields:
        Each outcome as soon as it is recorded.

    Raises:
        OrchestratorUnavailable: no server answers and none could be started.
        UsageError: a ticket or its files cannot be used.
    """
    with server_lease(settings, say=_say) as api_url:
        os.environ.update({**CLIENT_ENVIRONMENT, "PREFECT_API_URL": api_url})
        _bypass_proxies(api_url)
        from prefect.settings import PREFECT_API_URL, PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

        from flows.states import outcome_of
        from flows.verify_ticket import verify_ticket

        # With heartbeats a sync flow run waits about a second at its end for their thread (ADR 0007).
        overrides = {PREFECT_API_URL: api_url, PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}
        with temporary_settings(overrides):
            for request in requests:
                yield outcome_of(verify_ticket(request, return_state=True))


def _bypass_proxies(api_url: str) -> None:
    """A person's HTTP_PROXY is for the world outside: a server on this machine is reached directly."""
    host = urlsplit(api_url).hostname
    if host in LOOPBACK_HOSTS:
        for name in ("NO_PROXY", "no_proxy"):
            os.environ[name] = ",".join(filter(None, (os.environ.get(name), host)))


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201  # progress for the person; stdout carries data
