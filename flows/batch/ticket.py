"""One ticket of a batch: the same stages as `verify-ticket`, as one task run (ADR 0013)."""

import contextlib
import functools
from collections.abc import Callable
from typing import Any, Final

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.context import TagsContext, TaskRunContext
from prefect.runtime import task_run
from prefect.states import Cancelled

from flows.batch.desk import BatchPorts, Desk
from flows.orchestrator.server import still_answers
from flows.request import VerifyRequest
from flows.states import final_state
from flows.story import RunStory
from flows.verify_ticket import run_stages
from refute.approval import Beforehand
from refute.batch.approval import ListedApprover
from refute.batch.entry import Entry, refusal, unusable
from refute.case import CaseFile
from refute.errors import UsageError
from refute.ledger.batches import Answer, BatchTicket
from refute.outcome import Outcome
from refute.recording import record
from refute.stages import admission
from tasks.outcome import show_outcome
from tasks.stage import whole_ticket

TAKEN_TRIES: Final = 4
"""How often Prefect is asked to take a task run; a server on SQLite refuses some under load."""
RETRY_S: Final = 2.0


class TicketWork:
    """Puts a claimed ticket through the stages, once.

    Args:
        desk: of the batch.
        claim: the ticket as it was claimed.
    """

    def __init__(self, desk: Desk, claim: BatchTicket) -> None:
        self.desk = desk
        self._claim = claim
        self._entry = desk.entries[claim.ticket_id]
        self.began = False
        """Whether it ran, whatever became of it."""
        self.failure: Exception | None = None
        """Why nothing could be recorded."""

    def run(self) -> Outcome | None:
        """Verify and record.

        Returns:
            The outcome; None where there is none, because the batch ended, the ticket was taken over, or its files
            are not those that were approved.
        """
        self.began = True
        self.desk.watcher.began(self._claim.ticket_id)
        try:
            outcome = self._refuse(self._entry) if self._entry.ticket is None else self._verify()
        except Exception as error:  # the ledger, or what nobody foresaw: the crew decides what becomes of the batch
            self.failure = error
            raise
        if outcome is not None:
            self.desk.count(outcome)
        return outcome

    def _verify(self) -> Outcome | None:
        ports = BatchPorts(self.desk, self._claim.ticket_id)
        allowance = self.desk.allowances.get(self._claim.ticket_id)
        approver = ListedApprover(
            by=self._claim.answered_by,
            digest=self._claim.digest,
            declined=self._claim.answer is Answer.DECLINED,
            allowance=allowance,
            when=Beforehand(asked_at=self._claim.asked_at, answered_at=self._claim.answered_at),
        )
        with whole_ticket(), contextlib.closing(ports.sandbox):
            assert self._entry.ticket is not None  # noqa: S101  # for the type: `run` looked
            case = CaseFile(
                ticket=self._entry.ticket,
                run_id=self.desk.batch_id,
                flow_run_url=_ui_url(),
                observer=ports.observer,
            )
            request = VerifyRequest(
                ticket=self._entry.ticket.workspace,
                allow_dangerous=allowance is not None,
                settings=self.desk.settings,
            )
            try:
                with case.chain():
                    run_stages(ports, case, request, approver)
            except UsageError as error:
                return self._refuse(unusable(self._entry, error))
            return self._keep(ports, case, approver)

    def _keep(self, ports: BatchPorts, case: CaseFile, approver: ListedApprover) -> Outcome | None:
        """Record the outcome unless it says nothing about the ticket."""
        if self.desk.slots.stopped:
            return None
        if approver.outdated is not None:
            now = {self._claim.ticket_id: approver.outdated}
            self.desk.batches.answer(self.desk.batch_id, Answer.WAITING, by="", digests=now)
            self.desk.watcher.told(f"{self._claim.ticket_id}: its files were changed since the approval; not run")
            return None
        if approver.blocked and case.scan is not None:  # the allow-file names other files: as if it did not exist
            case.stop = admission.admit(case.scan, allow_dangerous=False)
        outcome = record(ports, case)
        if ports.held.refused:
            return None
        RunStory(outcome.ticket_id).closed(outcome)
        if not self.desk.unheard:
            self._show(outcome)
        return outcome

    def _show(self, outcome: Outcome) -> None:
        """Leave the outcome's artifacts: a view of what the ledger holds, whatever Prefect has against it."""
        why = "its server does not answer"
        if still_answers():  # one that is gone would hold each ticket for a minute of tries
            try:
                show_outcome(self.desk.settings, outcome)
            except Exception as error:  # noqa: BLE001  # as said
                why = type(error).__name__
            else:
                return
        self.desk.watcher.told(f"{outcome.ticket_id}: no artifact in Prefect ({why})")

    def _refuse(self, entry: Entry) -> Outcome | None:
        outcome = refusal(entry, run_id=self.desk.batch_id, tester=self.desk.settings.tester)
        return outcome if self.desk.leases.record(outcome, self.desk.owner) else None


def run_as_task(work: TicketWork, *, ticket_id: str, labels: tuple[str, ...]) -> None:
    """Run the work as a Prefect task run; where Prefect takes none, without one: the ledger is what counts.

    Args:
        work: what to run.
        ticket_id: name of the task run.
        labels: its tags.
    """
    desk = work.desk
    for attempt in range(1 if desk.unheard else TAKEN_TRIES):
        try:
            # For its tags Prefect would ask the server for slots, in a thread with a connection of its own for each
            # set of tags, which it keeps until the process ends: a ticket gets them when it has begun.
            late = {*TagsContext.get().current_tags, f"ticket:{ticket_id}", *labels}
            with TagsContext(current_tags=set()):
                _ticket(ticket_id, functools.partial(_tagged, work, sorted(late)), return_state=True)
        except Exception:  # noqa: BLE001, S110  # of Prefect's client, in many kinds; what the work raised is kept in it
            pass
        if work.began or desk.slots.wait(0 if desk.unheard else RETRY_S * 2**attempt):
            return
    if not desk.unheard:
        desk.watcher.told("the Prefect server takes no task runs: tickets run on, and only the ledger shows them")
    desk.unheard = True
    with contextlib.suppress(Exception):  # kept in `failure`
        work.run()


@task(name="ticket", task_run_name="{ticket_id}", cache_policy=NO_CACHE, persist_result=False)
def _ticket(ticket_id: str, run: Callable[[], Outcome | None]) -> State[Any]:
    """One ticket; its status is the task run's state."""
    outcome = run()
    if outcome is None:
        return Cancelled(name="NOT_FINISHED", message=f"{ticket_id} has no outcome yet; the batch can be resumed")
    return final_state(outcome, carry=False)


def _tagged(work: TicketWork, tags: list[str]) -> Outcome | None:
    """Run the work, its task run tagged: Prefect's record has the tags with the final state."""
    context = TaskRunContext.get()
    if context is not None:
        context.task_run.tags = tags
    return work.run()


def _ui_url() -> str:
    try:
        return task_run.ui_url or ""
    except Exception:  # noqa: BLE001  # outside a task run, or a Prefect that knows no address
        return ""
