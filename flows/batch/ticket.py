"""One ticket of a batch: a task run, and below it those of its stages."""

import contextlib
from collections.abc import Callable
from typing import Any

from prefect import task
from prefect.client.schemas.objects import State
from prefect.context import TaskRunContext
from prefect.runtime import task_run
from prefect.states import Cancelled

from flows.batch.run import BatchRun
from flows.orchestrator.server import still_answers
from flows.pipeline import TicketPorts, record_outcome, run_stages
from flows.request import VerifyRequest
from flows.states import final_state
from flows.story import RunStory
from refute.approval import Beforehand
from refute.batch.allowance import Allowance
from refute.batch.approval import ListedApprover
from refute.batch.entry import Entry, refusal, unusable
from refute.case import CaseFile
from refute.errors import UsageError
from refute.journal import Journal
from refute.ledger.batches import Answer, BatchTicket
from refute.observer import OnlyOnce, Unwatched, Watchers
from refute.outcome import Outcome
from refute.stages import admission
from tasks.options import PLAIN
from tasks.outcome import show_if_answered


@task(name="ticket", task_run_name="{ticket_id}", **PLAIN)
def verify_listed(ticket_id: str, run: Callable[[], Outcome | None]) -> State[Any]:
    """One ticket; its status is the task run's state."""
    outcome = run()
    if outcome is None:
        return Cancelled(name="NOT_FINISHED", message=f"{ticket_id} has no outcome yet; the batch can be resumed")
    return final_state(outcome)


def verified(batch: BatchRun, row: BatchTicket) -> Outcome | None:
    """Verify and record.

    Returns:
        The outcome; None where there is none, because the batch ended, or its files are not those that were approved.
    """
    if batch.containers.stopped:
        return None
    batch.watcher.began(row.ticket_id)
    entry = batch.entries[row.ticket_id]
    _tag(batch.batch_id, f"ticket:{row.ticket_id}", *(entry.labels or ()))
    try:
        return _refused(batch, entry) if entry.ticket is None else _run(batch, row, entry)
    except Exception as error:  # the ledger, or what nobody foresaw: it ends the batch, which can be resumed
        if not batch.containers.stopped:
            batch.containers.stop(error)
        raise


def _run(batch: BatchRun, row: BatchTicket, entry: Entry) -> Outcome | None:
    assert entry.ticket is not None  # noqa: S101  # for the type: whoever calls looked
    ticket, settings = entry.ticket, batch.settings
    observer = Watchers(
        OnlyOnce(_Warnings(batch, ticket.id), batch.said),
        RunStory(ticket.id),
        Journal.of(settings, run_id=batch.batch_id, ticket_id=ticket.id),
    )
    ports = TicketPorts(
        settings, batch.batch_id, ticket, observer=observer, containers=batch.containers, ledger=batch.ledger
    )
    ports.share_images(batch.images, batch.derived)
    case = CaseFile(ticket=ticket, run_id=batch.batch_id, flow_run_url=task_run.ui_url or "", observer=observer)
    allowance = batch.allowances.get(ticket.id)
    approver = _approver(row, allowance)
    request = VerifyRequest(ticket=ticket.workspace, allow_dangerous=allowance is not None, settings=settings)
    with contextlib.closing(ports.sandbox):
        try:
            with case.chain():
                run_stages(ports, case, request, approver, attended=False)
        except UsageError as error:
            return _refused(batch, unusable(entry, error))
        return _kept(batch, ports, case, approver)


def _approver(row: BatchTicket, allowance: Allowance | None) -> ListedApprover:
    return ListedApprover(
        by=row.answered_by,
        digest=row.digest,
        declined=row.answer is Answer.DECLINED,
        allowance=allowance,
        when=Beforehand(asked_at=row.asked_at, answered_at=row.answered_at),
    )


def _kept(batch: BatchRun, ports: TicketPorts, case: CaseFile, approver: ListedApprover) -> Outcome | None:
    """Record the outcome unless it says nothing about the ticket."""
    if batch.containers.stopped:
        return None
    ticket_id = case.ticket.id
    if approver.outdated is not None:
        batch.batches.answer(batch.batch_id, Answer.WAITING, by="", digests={ticket_id: approver.outdated})
        batch.watcher.told(f"{ticket_id}: its files were changed since the approval; not run")
        return None
    if approver.blocked and case.scan is not None:  # the allow-file names other files: as if it did not exist
        case.stop = admission.admit(case.scan, allow_dangerous=False)
    return record_outcome(ports, case)


def _refused(batch: BatchRun, entry: Entry) -> Outcome | None:
    outcome = refusal(entry, run_id=batch.batch_id, tester=batch.settings.tester, url=task_run.ui_url or "")
    if not batch.ledger.record(outcome):
        return None
    show_if_answered(batch.settings, outcome, still_answers, _Warnings(batch, entry.ticket_id).warned)
    return outcome


def _tag(*tags: str) -> None:
    """Prefect's record of the task run has its tags with its later states."""
    context = TaskRunContext.get()
    if context is not None:
        context.task_run.tags = sorted({*context.task_run.tags, *tags})


class _Warnings(Unwatched):
    """Tells whoever watches the batch what a ticket's run warns of."""

    def __init__(self, batch: BatchRun, ticket_id: str) -> None:
        self._batch = batch
        self._ticket_id = ticket_id

    def warned(self, message: str) -> None:
        """Say which ticket it is about."""
        self._batch.watcher.told(f"{self._ticket_id}: {message}")
