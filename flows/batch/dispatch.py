"""A batch spread over workers: chunks of its tickets, each a run of the deployment `verify-chunk/chunk`."""

import contextlib
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final
from uuid import UUID

import httpx
from prefect import task
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId, WorkerFilter, WorkerFilterStatus
from prefect.client.schemas.objects import FlowRun
from prefect.deployments import run_deployment
from prefect.exceptions import ObjectNotFound
from prefect.runtime import flow_run
from prefect.states import Cancelling

from flows.batch.request import ChunkRequest
from refute.errors import OrchestratorUnavailable
from tasks.options import PLAIN

DEPLOYMENT: Final = "verify-chunk/chunk"
POLL_S: Final = 2.0
LOOK_S: Final = 0.2
TRIES: Final = 3
"""A chunk whose run crashed is run again: what it finished stays, stages that ended come from the cache."""


def verify_in_chunks(chunks: Sequence[ChunkRequest], *, meanwhile: Callable[[], None]) -> None:
    """Have workers verify chunks of a batch, until all have ended; can be interrupted, which cancels them.

    At most as many at once as there are workers: each chunk has as many containers as its machine has cores.

    Args:
        chunks: what each is asked.
        meanwhile: called several times a second.

    Raises:
        OrchestratorUnavailable: the server has no such deployment.
    """
    waiting = deque((number, 1) for number in range(len(chunks)))
    running: dict[UUID, tuple[int, int]] = {}
    with get_client(sync_client=True) as client:
        pool = _work_pool(client)
        try:
            while waiting or running:
                while waiting and len(running) < _workers(client, pool):
                    number, attempt = waiting.popleft()
                    request = chunks[number].model_dump(mode="json", exclude={"settings"})
                    running[dispatch(number + 1, attempt, str(flow_run.id), request)] = (number, attempt)
                _wait(meanwhile)
                for run in _ended(client, running):
                    number, attempt = running.pop(run.id)
                    if run.state is not None and run.state.is_crashed() and attempt < TRIES:
                        waiting.append((number, attempt + 1))
        except BaseException:
            for run_id in running:
                with contextlib.suppress(httpx.HTTPError):  # its worker ends with it, or its tickets are done twice
                    client.set_flow_run_state(run_id, Cancelling())
            raise


@task(name="dispatch", task_run_name="chunk {number}, try {attempt}", **PLAIN)
def dispatch(number: int, attempt: int, batch_run: str, request: Mapping[str, object]) -> UUID:
    """Have the server schedule a chunk's run; asked twice for the same try, it makes one."""
    run: FlowRun = run_deployment(  # type: ignore[assignment]  # also typed for coroutines, where it must be awaited
        DEPLOYMENT,
        parameters={"request": dict(request)},
        flow_run_name=f"{request['batch_id']} · chunk {number}",
        timeout=0,
        idempotency_key=f"{batch_run}-{number}-{attempt}",
    )
    return run.id


def _work_pool(client: SyncPrefectClient) -> str:
    """Whose workers take chunks."""
    try:
        return str(client.read_deployment_by_name(DEPLOYMENT).work_pool_name)
    except ObjectNotFound as error:
        raise OrchestratorUnavailable(
            f"the Prefect server has no deployment {DEPLOYMENT}, which a batch in chunks needs",
            hint="Run deployments/apply.py, or leave `chunk_tickets` at 0 to run the batch in one process.",
        ) from error


def _workers(client: SyncPrefectClient, pool: str) -> int:
    """How many are there; at least the one that runs the batch."""
    online = WorkerFilter(status=WorkerFilterStatus(any_=["ONLINE"]))
    try:
        return max(1, len(client.read_workers_for_work_pool(pool, worker_filter=online)))
    except httpx.HTTPError:
        return 1


def _ended(client: SyncPrefectClient, running: Mapping[UUID, object]) -> list[FlowRun]:
    """Those that have; none where the server does not say."""
    try:
        found = client.read_flow_runs(flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=list(running))))
    except httpx.HTTPError:
        return []
    return [run for run in found if run.state is not None and run.state.is_final()]


def _wait(meanwhile: Callable[[], None]) -> None:
    deadline = time.monotonic() + POLL_S
    while time.monotonic() < deadline:
        meanwhile()
        time.sleep(LOOK_S)
