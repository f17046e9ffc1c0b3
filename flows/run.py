"""Run a flow ad hoc: hold a Prefect server, quieten its console, call the flow, hand back the outcome."""

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from flows.orchestrator.server import server_lease
from refute.outcome import Outcome

if TYPE_CHECKING:
    from flows.verify_ticket import VerifyRequest

CLIENT_ENVIRONMENT: Final[Mapping[str, str]] = {
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",  # refute talks to the person; Prefect's log is in its UI
    "PREFECT_LOGGING_COLORS": "false",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    # A sync flow run would otherwise wait ~1 s for its heartbeat thread (ADR 0007).
    "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "",
}


def run_ticket(request: "VerifyRequest") -> Outcome:
    """Verify one ticket through the Prefect flow.

    Raises:
        OrchestratorUnavailable: no server answers and none could be started.
        UsageError: the ticket or its files cannot be used.
    """
    with server_lease(request.settings, say=lambda line: print(line, file=sys.stderr)) as api_url:  # noqa: T201
        os.environ.update({**CLIENT_ENVIRONMENT, "PREFECT_API_URL": api_url})
        from flows.verify_ticket import verify_ticket

        return verify_ticket(request)
