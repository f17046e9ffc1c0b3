"""What Prefect calls when a run of ours was killed or cancelled: its containers are removed, whoever finds it."""

import contextlib
from typing import Any, Final

from prefect import Flow
from prefect.client.schemas.objects import FlowRun, State

from refute.errors import InfrastructureError
from refute.sandbox.leftovers import remove_leftovers

BATCH_NAME = "batch {}"
"""Name of a batch's flow run, by its id; a batch that Prefect named otherwise was killed before it was open."""


def remove_containers(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any]) -> None:  # noqa: ARG001  # Prefect's
    """A hook of every flow that verifies. Containers whose removal fails end by themselves."""
    run_id, tickets = str(flow_run.id), None
    if flow.name == "verify-batch":
        run_id = flow_run.name.removeprefix(BATCH_NAME.format(""))
    elif flow.name == "verify-chunk":
        request = flow_run.parameters["request"]
        run_id, tickets = request["batch_id"], request["tickets"]
    with contextlib.suppress(InfrastructureError):
        remove_leftovers(run_id, tickets=tickets)


VERIFYING: Final[dict[str, Any]] = {
    "persist_result": False,
    "log_prints": False,
    "on_crashed": [remove_containers],
    "on_cancellation": [remove_containers],
}
"""Of a flow that runs containers."""
