"""What every flow of ours has: a name that is looked after, signs of life, logs that say what matters, a tidy end."""

import contextlib
import functools
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

from prefect import Flow, flow
from prefect.client.schemas.objects import FlowRun, State

from flows.orchestrator.killed_runs import FlowName, heartbeats
from flows.states import prepare_logs
from refute import __version__
from refute.errors import InfrastructureError
from refute.sandbox.reaper import remove_leftovers

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

BATCH_NAME: Final = "batch {}"
"""Name of a batch's flow run, by its id; a batch that Prefect named otherwise was killed before it was open."""


def refute_flow(name: str, *, run_name: str) -> Callable[[Callable[Parameters, Result]], Flow[Parameters, Result]]:
    """Make a function a flow of ours; Prefect's own decorator is used nowhere else.

    Args:
        name: of the flow.
        run_name: of its runs, a template of the parameters.

    Raises:
        ValueError: `FlowName` has no such name, so nobody would notice that a run of it was killed.
    """

    def decorated(body: Callable[Parameters, Result]) -> Flow[Parameters, Result]:
        @functools.wraps(body)
        def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            prepare_logs()
            with heartbeats():
                return body(*args, **kwargs)

        return flow(
            name=FlowName(name).value,  # its logs show it as it is written
            flow_run_name=run_name,
            version=__version__,  # else a digest of this very file
            persist_result=False,
            log_prints=False,
            on_crashed=[remove_containers],
            on_cancellation=[remove_containers],
        )(run)

    return decorated


def remove_containers(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any]) -> None:  # noqa: ARG001  # Prefect's
    """A hook: whoever finds a run killed or cancelled removes its containers. Where that fails, they end themselves."""
    run_id, tickets = str(flow_run.id), None
    if flow.name == FlowName.VERIFY_BATCH:
        run_id = flow_run.name.removeprefix(BATCH_NAME.format(""))
    elif flow.name == FlowName.VERIFY_CHUNK:
        request = flow_run.parameters["request"]
        run_id, tickets = request["batch_id"], request["tickets"]
    with contextlib.suppress(InfrastructureError):
        remove_leftovers(run_id, tickets=tickets)
