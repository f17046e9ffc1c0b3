"""A batch spread over workers: chunks of its tickets, each a run of the deployment `verify-chunk/chunk`."""

import contextlib
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final
from uuid import UUID

from prefect import task
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId, WorkerFilter, WorkerFilterStatus
from prefect.deployments import run_deployment
from prefect.exceptions import ObjectNotFound
from prefect.runtime import flow_run
from prefect.states import Cancelling

from flows.batch.request import ChunkRequest
from flows.orchestrator.model_limit import SILENT_S
from refute.errors import OrchestratorUnavailable
from tasks.options import PLAIN
from tasks.outcome import NO_ANSWER

if TYPE_CHECKING:
    from prefect.client.schemas.objects import FlowRun

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
        OrchestratorUnavailable: the server has no such deployment, or is gone.
    """
    with get_client(sync_client=True) as client:
        runs = _ChunkRuns(client, chunks)
        heard_at = time.monotonic()
        try:
            while not runs.over:
                try:
                    runs.dispatch()
                    runs.collect()
                    heard_at = time.monotonic()
                except NO_ANSWER as error:
                    if time.monotonic() - heard_at > SILENT_S:
                        raise _gone(error) from error
                _wait(meanwhile)
        except BaseException:
            runs.cancel()
            raise


class _ChunkRuns:
    """The runs of a batch's chunks; every method but `cancel` raises `NO_ANSWER` where the server is silent."""

    def __init__(self, client: SyncPrefectClient, chunks: Sequence[ChunkRequest]) -> None:
        self._client = client
        self._chunks = chunks
        self._pool = _work_pool(client)
        self._waiting = deque((number, 1) for number in range(len(chunks)))
        self._running: dict[UUID, tuple[int, int]] = {}

    @property
    def over(self) -> bool:
        """Whether all have ended."""
        return not (self._waiting or self._running)

    def dispatch(self) -> None:
        """Begin as many as there are workers for; at least one, which the worker of the batch may take."""
        online = WorkerFilter(status=WorkerFilterStatus(any_=["ONLINE"]))
        workers = len(self._client.read_workers_for_work_pool(self._pool, worker_filter=online))
        while self._waiting and len(self._running) < max(1, workers):
            number, attempt = self._waiting[0]
            request = self._chunks[number].model_dump(mode="json", exclude={"settings"})
            self._running[dispatch(number + 1, attempt, str(flow_run.id), request)] = (number, attempt)
            self._waiting.popleft()

    def collect(self) -> None:
        """Take note of those that have ended; what crashed waits for another try."""
        found = self._client.read_flow_runs(flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[*self._running])))
        for run in found:
            if run.state is None or not run.state.is_final():
                continue
            number, attempt = self._running.pop(run.id)
            if run.state.is_crashed() and attempt < TRIES:
                self._waiting.append((number, attempt + 1))

    def cancel(self) -> None:
        """Have the workers end them, else their tickets are done twice when the batch is resumed."""
        for run_id in self._running:
            with contextlib.suppress(*NO_ANSWER):
                self._client.set_flow_run_state(run_id, Cancelling())


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


def _gone(error: Exception) -> OrchestratorUnavailable:
    return OrchestratorUnavailable(
        f"the Prefect server has not answered for {SILENT_S:.0f} s: {error}; what was recorded is kept",
        hint="Once it answers, go on with the batch by `resume`.",
    )


def _wait(meanwhile: Callable[[], None]) -> None:
    deadline = time.monotonic() + POLL_S
    while time.monotonic() < deadline:
        meanwhile()
        time.sleep(LOOK_S)
