"""Runs whose process was killed: Prefect would show them as running for ever."""

import contextlib
from typing import Final
from uuid import UUID

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import (
    FlowFilter,
    FlowFilterName,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, State, StateType
from prefect.runtime import flow_run
from prefect.states import Crashed

from refute.owner import Owner

PROCESS_TAG: Final = "process:"
"""Before the `Owner` that runs a flow, among the tags of its run."""
LOOKED_AT: Final = 50
KILLED: Final = "its process was killed; `refute batch --resume` goes on with what is left"
TICKET_KILLED: Final = "its process was killed; nothing is known of its outcome: verify the ticket again"


def process_tag() -> str:
    """The tag that says which process runs a flow run."""
    return f"{PROCESS_TAG}{Owner.here()}"


def introduce(batch_id: str) -> None:
    """Name and tag the current flow run with its batch, which was not known before, and with its process."""
    with contextlib.suppress(Exception), get_client(sync_client=True) as client:
        known = any(tag.startswith(PROCESS_TAG) for tag in flow_run.tags)
        tags = [*flow_run.tags, batch_id, *([] if known else [process_tag()])]
        client.update_flow_run(UUID(flow_run.id), name=f"batch {batch_id}", tags=tags)


def introduce_ticket() -> None:
    """Tag the current flow run, which a worker started, with its process."""
    with contextlib.suppress(Exception), get_client(sync_client=True) as client:
        client.update_flow_run(UUID(flow_run.id), tags=[*flow_run.tags, process_tag()])


def close_all_crashed_runs() -> None:
    """`close_crashed_runs` of every flow that verifies."""
    close_crashed_runs("verify-batch")
    close_crashed_runs("verify-ticket", message=TICKET_KILLED)


def close_crashed_runs(flow_name: str, *, message: str = KILLED) -> int:
    """Give the flow runs of processes that are gone the state Crashed; how many there were.

    Only what was started on this machine can be known to be gone. Where Prefect fails, nothing is done.

    Args:
        flow_name: of the flow whose runs are looked at.
        message: what their state says.
    """
    closed = 0
    running = FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.RUNNING])))
    with contextlib.suppress(Exception), get_client(sync_client=True) as client:
        named = FlowFilter(name=FlowFilterName(any_=[flow_name]))
        for run in client.read_flow_runs(flow_filter=named, flow_run_filter=running, limit=LOOKED_AT):
            if _is_gone(run):
                state: State[None] = Crashed(message=message)
                client.set_flow_run_state(run.id, state, force=True)
                closed += 1
    return closed


def _is_gone(run: FlowRun) -> bool:
    for tag in run.tags:
        if tag.startswith(PROCESS_TAG):
            with contextlib.suppress(ValueError):
                return Owner.parse(tag.removeprefix(PROCESS_TAG)).is_gone()
    return False
