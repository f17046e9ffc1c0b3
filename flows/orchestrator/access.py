"""Who may talk to the Prefect API: it approves runs, so one that strangers reach has to ask for a password."""

import urllib.error
from typing import Final
from urllib.parse import urlsplit

from flows.orchestrator.api import over_http
from flows.orchestrator.server import LOOPBACK_HOSTS
from refute.errors import OrchestratorUnavailable

REFUSALS: Final = frozenset({401, 403})


def is_local(api_url: str) -> bool:
    """Whether only this machine reaches the API by this address."""
    return (urlsplit(api_url).hostname or "") in LOOPBACK_HOSTS


def asks_for_password(api_url: str) -> bool:
    """Whether the API refuses somebody without credentials.

    Raises:
        OSError: nothing answers.
    """
    try:
        over_http(api_url.rstrip("/"))("POST", "/flow_runs/count", {})
    except urllib.error.HTTPError as error:
        return error.code in REFUSALS
    except ValueError:  # it answers, if not as an API
        return False
    return False


def require_protected(api_url: str | None) -> None:
    """Refuse to take approvals from a server that lets anybody answer.

    Args:
        api_url: of the server; None for one inside this process.

    Raises:
        OrchestratorUnavailable: it listens beyond this machine without a password, or cannot be asked.
    """
    if api_url is None or is_local(api_url):
        return
    try:
        protected = asks_for_password(api_url)
    except OSError as error:
        raise OrchestratorUnavailable(
            f"the Prefect server at {api_url} was asked whether it wants a password, got {error}",
            hint="Nothing is approved by a server that cannot be checked. Try again.",
        ) from error
    if not protected:
        raise OrchestratorUnavailable(
            f"the Prefect server at {api_url} takes orders from anybody who reaches it: no approval is taken from it",
            hint="Set PREFECT_SERVER_API_AUTH_STRING on the server and PREFECT_API_AUTH_STRING for workers and people "
            "(docs/deployments.md), or let it listen on 127.0.0.1 only.",
        )
