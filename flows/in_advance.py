"""Who or what approved in advance, in words for audit log, ledger and outcome: a person's flag is no deployment."""

import getpass
from typing import Any, Final

from flows.console import current_console

IN_ADVANCE: Final = "in_advance"


def approved_by() -> str:
    """Who said, before the run began, that a script which scans clean may run. Called inside its flow."""
    if current_console() is not None:  # the command line runs the flow itself
        return by_flag()
    from prefect.client.orchestration import get_client  # the command line imports Prefect late
    from prefect.context import FlowRunContext

    from tasks.outcome import CLIENT_ERRORS

    context = FlowRunContext.get()
    run = context.flow_run if context is not None else None
    if run is None or run.deployment_id is None:
        return "whoever called the flow with approval: in_advance"
    try:
        with get_client(sync_client=True) as client:
            deployment = client.read_deployment(run.deployment_id)
    except CLIENT_ERRORS:  # the run itself is known
        return f"approval: in_advance of the run {run.name!r}"
    flow = context.flow.name if context is not None and context.flow is not None else "flow"
    return by_deployment(f"{flow}/{deployment.name}", deployment.parameters, run_name=run.name)


def by_flag() -> str:
    """The person at the command line, who gave `--yes`."""
    return f"--yes ({user()})"


def by_deployment(name: str, parameters: dict[str, Any], *, run_name: str) -> str:
    """Whether the deployment itself approves, or whoever started this one run of it.

    Args:
        name: `flow/deployment`.
        parameters: those that were applied with the deployment.
        run_name: of the run whose request says `in_advance`.
    """
    request = parameters.get("request")
    if isinstance(request, dict) and request.get("approval") == IN_ADVANCE:
        return f"the deployment {name} (approval: in_advance)"
    return f"whoever started the run {run_name!r} of the deployment {name} with approval: in_advance"


def user() -> str:
    """Who is logged in, as the system says."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown user"
