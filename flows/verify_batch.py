"""The flow of a batch: open or resume → answers → its tickets as task runs, or chunks of them on workers → summary."""

import contextlib
from typing import Any
from uuid import UUID

from prefect import tags
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Cancelled, Completed, Failed

from flows.batch.answers import approve_in_advance, put_to_a_person
from flows.batch.dispatch import verify_in_chunks
from flows.batch.opening import batch_run, open_batch
from flows.batch.pool import verify_tickets
from flows.batch.readiness import require_all
from flows.batch.request import BatchRequest, ChunkRequest
from flows.batch.result import BatchResult, result_of
from flows.batch.run import BatchRun
from flows.batch.ui import BatchPage, RunLog
from flows.batch.watcher import BatchWatcher
from flows.confirmation.approver import PersonApprover
from flows.console import current_console, hand_back
from flows.in_advance import approved_by
from flows.interruption import Interruptions, interruptions
from flows.refute_flow import BATCH_NAME, refute_flow
from flows.request import refuse_foreign_settings, settings_of
from flows.states import GOOD
from refute.batch.entry import Entry
from refute.errors import CostsCsvUnavailable
from refute.ledger.batches import Batches
from refute.ledger.costs_csv import append_missing
from refute.ledger.store import Ledger
from refute.outcome import Status
from refute.ports import Ports
from refute.scan.allow import load_allow_file
from refute.scan.core.tables import knowledge
from tasks.outcome import CLIENT_ERRORS


@refute_flow("verify-batch", run_name="batch {request.title}")
def verify_batch(request: BatchRequest) -> State[None]:
    """Try to refute the claims of many tickets. What was killed or ended goes on when it is run again (`resume`).

    Raises:
        TicketNotFound, UsageError: there is nothing to do, or no such batch.
        AuditUnavailable, EngineUnavailable, ImageMissing, SandboxFailed: no ticket could run; nothing was begun.
        LedgerUnavailable, OrchestratorUnavailable: the ledger failed, or no turn to ask a model is to be had; what was
            recorded is kept, and the batch can be resumed.
    """
    console = current_console()
    refuse_foreign_settings(request, started_by_worker=console is None)
    watcher = console.watcher if console else RunLog()
    with contextlib.closing(Ledger.open(request.settings)) as ledger, interruptions() as signals:
        batch = _opened(request, ledger, watcher, signals)
        with tags(batch.batch_id):
            page, reason = BatchPage(batch.batch_id), ""
            try:
                with signals.let_through():
                    _settle_answers(request, batch)
                _verify(request, batch, page, signals)
            except KeyboardInterrupt as interrupt:
                reason = str(interrupt) or "interrupted"
            except Exception as error:  # the flow's boundary: a server that is gone would hide it behind its own
                hand_back(error)
                raise
            result = _closed(batch, reason)
            page.close(result, batch.batches)
    return _state(result)


def _opened(request: BatchRequest, ledger: Ledger, watcher: BatchWatcher, signals: Interruptions) -> BatchRun:
    settings = settings_of(request)
    load_allow_file(settings.scan_allow_file)  # else each of the tickets would tell
    knowledge(settings.scan_tables)

    def check(due: list[Entry]) -> None:
        with signals.let_through():  # an engine that hangs may take its time
            require_all(due, Ports(settings, run_id=""), tell=watcher.told)

    batch, entries = open_batch(Batches(ledger), request, check=check)
    _introduce(batch.id)
    return batch_run(request, settings, ledger, entries, watcher=watcher, batch_id=batch.id)


def _introduce(batch_id: str) -> None:
    """Name and tag the flow run with its batch, which may not have been known before."""
    with contextlib.suppress(*CLIENT_ERRORS), get_client(sync_client=True) as client:  # the ledger has its name
        client.update_flow_run(
            UUID(flow_run.id), name=BATCH_NAME.format(batch_id), tags=sorted({*flow_run.tags, batch_id})
        )


def _settle_answers(request: BatchRequest, batch: BatchRun) -> None:
    if request.approval == "in_advance":
        approve_in_advance(batch.batches, batch.batch_id, batch.entries, by=approved_by())
        return
    ports = Ports(batch.settings, run_id=batch.batch_id)
    ask = PersonApprover(ports).ask_list if request.approval == "ask" else None
    put_to_a_person(batch.batches, ports, batch.entries, ask)


def _verify(request: BatchRequest, batch: BatchRun, page: BatchPage, signals: Interruptions) -> None:
    """Here, or by workers."""
    due, tally = batch.due(), batch.progress.tally
    if not request.chunk_tickets:
        verify_tickets(batch, due, signals, meanwhile=lambda: page.progress(tally))
        return
    ids = [row.ticket_id for row in due]
    chunks = [
        ChunkRequest(
            batch_id=batch.batch_id,
            tickets=tuple(ids[start : start + request.chunk_tickets]),
            allow_dangerous=request.allow_dangerous,
            fresh=request.fresh,
        )
        for start in range(0, len(ids), request.chunk_tickets)
    ]

    def look() -> None:
        batch.progress.look()
        page.progress(tally)

    with signals.let_through():
        verify_in_chunks(chunks, meanwhile=look)


def _closed(batch: BatchRun, reason: str) -> BatchResult:
    """Everything in the cost table, and the result by what the ledger holds, whichever process recorded it."""
    try:  # also the lines of outcomes whose process was killed before it wrote them
        append_missing(batch.ledger, batch.settings.costs_csv)
    except CostsCsvUnavailable as error:  # the ledger has them: the next run appends what is missing
        batch.watcher.told(str(error))
    batch.progress.finish()
    result = result_of(batch.batches, batch.batch_id, batch.progress.tally, interrupted=reason)
    hand_back(result)
    return result


def _state(result: BatchResult) -> State[Any]:
    """Green where nothing needs doing or an approval is awaited, grey where somebody ended it, else red.

    Also red where a chunk's run failed: some of its tickets have no outcome.
    """
    if result.interrupted:
        return Cancelled(name="INTERRUPTED", message=f"{result.interrupted}; {result.words()}")
    awaited = result.status is Status.PENDING and not result.unfinished
    make = Completed if awaited or result.status in GOOD else Failed
    return make(name=result.headline, message=result.story())
