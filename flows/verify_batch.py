"""The flow: open or resume → answers → a crew puts each ticket through the stages → summary."""

import contextlib
from typing import Any

from prefect import flow, tags
from prefect.client.schemas.objects import State
from prefect.states import Cancelled, Completed, Failed

from flows.batch.answers import approve_in_advance, put_to_a_person
from flows.batch.crashed import close_crashed_runs, introduce
from flows.batch.crew import Crew
from flows.batch.desk import Desk
from flows.batch.helpers import call_helpers
from flows.batch.opening import open_batch
from flows.batch.readiness import require_all
from flows.batch.request import LATEST, BatchRequest
from flows.batch.result import BatchResult
from flows.batch.run_log import RunLog
from flows.batch.slots import Slots, cores
from flows.batch.ui import BatchPage
from flows.confirmation.approver import FormList
from flows.in_advance import approved_by
from flows.interruption import Interruptions, interruptions
from flows.request import refuse_foreign_settings, settings_of
from flows.session import current_session
from flows.states import GOOD, keep_tracebacks_out
from refute.batch.allowance import load_allowances
from refute.batch.entry import Entry
from refute.batch.tally import Tally
from refute.errors import CostsCsvUnavailable, InfrastructureError
from refute.ledger.batches import Answer, Batches
from refute.ledger.costs_csv import append_missing
from refute.ledger.store import Ledger
from refute.outcome import Status
from refute.ports import Ports
from refute.scan.allow import load_allow_file


@flow(name="verify-batch", flow_run_name="batch {request.title}", persist_result=False, log_prints=False)
def verify_batch(request: BatchRequest) -> State[BatchResult]:
    """Try to refute the claims of many tickets. Any number of processes may work on the same batch (`resume`).

    Raises:
        TicketNotFound, UsageError: there is nothing to do, or no such batch.
        AuditUnavailable, EngineUnavailable, ImageMissing, SandboxFailed: no ticket could run; nothing was begun.
        LedgerUnavailable, OrchestratorUnavailable: the ledger failed, or no turn to ask a model is to be had; what was
            recorded is kept, and the batch can be resumed.
    """
    refuse_foreign_settings(request, started_by_worker=not current_session().api_url)
    with contextlib.closing(Ledger.open(request.settings)) as ledger, interruptions() as signals:
        desk = _opened(request, ledger, signals)
        keep_tracebacks_out()
        if not current_session().api_url or request.resume == LATEST:
            introduce(desk.batch_id)
        reason = ""
        with tags(desk.batch_id):
            crew = Crew(desk, size=desk.settings.batch_containers or cores())  # its threads take over the tags
            page = BatchPage(desk.batch_id)
            try:
                with signals.let_through():
                    _settle_answers(request, desk)
                    crew.sweep()
                    call_helpers(desk.batch_id, request.helpers, fresh=request.fresh, tell=desk.watcher.told)
                    close_crashed_runs("verify-batch")
                    with crew.at_work():
                        crew.wait(meanwhile=lambda: page.progress(desk.tally))
            except KeyboardInterrupt as interrupt:
                reason = str(interrupt) or "interrupted"
            except InfrastructureError as error:
                current_session().failure = error
                current_session().lost_server()
                raise
            crew.sweep()
            _append_costs(desk)
            result = _result(desk, reason)
            current_session().batch = result
            if not current_session().lost_server():
                page.close(result, desk.batches)
    return _state(result)


def result_of(state: State[Any]) -> BatchResult:
    """The result that a finished run carries; raises what the flow raised."""
    result = state.data if state.is_cancelled() else state.result(raise_on_failure=False)
    result = getattr(result, "result", result)  # an in-memory result record wraps it
    if isinstance(result, BaseException):
        raise result
    if not isinstance(result, BatchResult):
        raise TypeError(f"flow run ended {state.name} with {type(result).__name__}, expected a BatchResult")
    return result


def _opened(request: BatchRequest, ledger: Ledger, signals: Interruptions) -> Desk:
    batches, settings = Batches(ledger), settings_of(request)
    load_allow_file(settings.scan_allow_file)  # else each of the tickets would tell
    watcher = current_session().watcher if current_session().api_url else RunLog()

    def check(due: list[Entry]) -> None:
        with signals.let_through():  # an engine that hangs may take its time
            require_all(due, Ports(settings, run_id=""), tell=watcher.told)

    batch, entries = open_batch(batches, request, check=check)
    desk = Desk(
        batch_id=batch.id,
        entries=entries,
        settings=settings,
        ledger=ledger,
        slots=Slots(settings.batch_containers or cores()),
        tally=Tally(total=len(entries)),
        allowances=load_allowances(request.allow_dangerous) if request.allow_dangerous else {},
        watcher=watcher,
    )
    desk.catch_up(earlier=True)
    desk.watcher.opened(batch.id, desk.tally)
    return desk


def _settle_answers(request: BatchRequest, desk: Desk) -> None:
    if request.approval == "in_advance":
        approve_in_advance(desk.batches, desk.batch_id, desk.entries, by=approved_by())
        return
    ports = Ports(desk.settings, run_id=desk.batch_id)
    by_form = None if current_session().api_url else FormList(ports)  # a worker has no terminal
    ask = (current_session().ask or by_form) if request.approval == "ask" else None
    put_to_a_person(desk.batches, ports, desk.entries, ask)


def _append_costs(desk: Desk) -> None:
    """The lines of outcomes whose process was killed before it wrote them, and of ticket files that cannot be used."""
    try:
        append_missing(desk.ledger, desk.settings.costs_csv)
    except CostsCsvUnavailable as error:  # the ledger has them: the next run appends what is missing
        desk.watcher.told(str(error))


def _result(desk: Desk, reason: str) -> BatchResult:
    desk.catch_up(from_the_first=True)  # a batch exits with the worst of its tickets, whichever process ran them
    open_rows = [row for row in desk.batches.tickets(desk.batch_id) if not row.finished]
    return BatchResult(
        batch_id=desk.batch_id,
        tally=desk.tally,
        waiting=tuple(row.ticket_id for row in open_rows if row.answer is Answer.WAITING),
        unfinished=tuple(row.ticket_id for row in open_rows if row.answer is not Answer.WAITING),
        interrupted=reason,
    )


def _state(result: BatchResult) -> State[Any]:
    """Green where nothing needs doing or an approval is awaited, grey where somebody ended it, else red."""
    # Nobody takes the result from a worker, where Prefect would read a failed state's data as an exception.
    carried = result if current_session().api_url else None
    if result.interrupted:
        return Cancelled(name="INTERRUPTED", message=f"{result.interrupted}; {result.words()}", data=carried)
    make = Completed if result.status in {*GOOD, Status.PENDING} else Failed
    return make(name=result.status, message=result.words(), data=carried)
