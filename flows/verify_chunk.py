"""The flow of a chunk: some tickets of a batch on one worker, as `verify-batch` dispatches them."""

import contextlib

from prefect.client.schemas.objects import State
from prefect.states import Cancelled, Completed

from flows.batch.opening import opened_again
from flows.batch.pool import verify_tickets
from flows.batch.request import ChunkRequest
from flows.batch.ui import RunLog
from flows.interruption import interruptions
from flows.refute_flow import refute_flow
from flows.request import refuse_foreign_settings, settings_of
from refute.ledger.store import Ledger


@refute_flow("verify-chunk", run_name="{request.batch_id} · chunk")
def verify_chunk(request: ChunkRequest) -> State[None]:
    """Verify some tickets of a batch. What they came to is in the ledger; the batch's run sums it up.

    Raises:
        UsageError: there is no such batch, or its tickets cannot be read here.
        LedgerUnavailable, OrchestratorUnavailable: the chunk cannot go on.
    """
    refuse_foreign_settings(request, started_by_worker=True)
    with contextlib.closing(Ledger.open(request.settings)) as ledger, interruptions() as signals:
        batch = opened_again(request, settings_of(request), ledger, watcher=RunLog())
        reason = ""
        try:
            verify_tickets(batch, batch.due(), signals, meanwhile=lambda: None)
        except KeyboardInterrupt as interrupt:
            reason = str(interrupt) or "interrupted"
        batch.progress.look()
    if reason:
        return Cancelled(name="INTERRUPTED", message=f"{reason}; {batch.progress.tally.words()}")
    return Completed(message=batch.progress.tally.words() or "all were finished")
