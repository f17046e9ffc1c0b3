"""The stages of a ticket in order, once: for `verify-ticket`, for a batch's ticket task, and for a chunk's.

snapshot, scan → confirm → verify → (research) → write tests → screen → attack → triage → strength → harden → second
environment → critics → rework → judge → verdict; the outcome in every case. What runs a container or asks a model is a
Prefect task (`tasks.stages`), also inside of hardening.
"""

from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from flows.confirmation.question import ticket_sections
from flows.containers import BoundedSandbox, Containers
from flows.orchestrator.model_limit import model_turn
from flows.orchestrator.server import still_answers
from flows.orchestrator.subtask_events import tell_completed, tell_judged, tell_reviewed, tell_reworked
from flows.terminal.asking import show
from refute.approval import Approver
from refute.case import CaseFile
from refute.errors import OrchestratorUnavailable
from refute.observer import StageObserver
from refute.outcome import Outcome, Status, Stop
from refute.ports import Ports
from refute.sandbox.network_hosts import AllowedHost
from refute.settings import Settings
from refute.stages import (
    admission,
    critics,
    escalation,
    hardening,
    research,
    rework,
    second_environment,
    strength,
    trial,
    writing,
)
from refute.stages.evidence import Evidence
from tasks.outcome import record_and_show
from tasks.results import results_kept_in
from tasks.stages import StageTasks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flows.request import VerifyRequest
    from refute.ledger.store import Ledger
    from refute.sandbox.engine import DockerSandbox
    from refute.ticket.record import Ticket

DRY_RUN: Final = Stop(status=Status.DRY_RUN, reason="nothing was executed: script, scan and plan were shown")


class TicketPorts(Ports):
    """The effects of one ticket's run.

    Args:
        settings: of the run.
        run_id: the flow run's, or the batch's.
        ticket: what is verified.
        observer: sees its stages.
        allowed_hosts: that its jobs may reach.
        containers: the batch's; None where the ticket runs alone.
        ledger: that is open already; None opens one.
    """

    def __init__(  # noqa: PLR0913  # what tickets of a batch share, and a ticket alone does without
        self,
        settings: Settings,
        run_id: str,
        ticket: "Ticket",
        *,
        observer: StageObserver,
        allowed_hosts: tuple[AllowedHost, ...] = (),
        containers: Containers | None = None,
        ledger: "Ledger | None" = None,
    ) -> None:
        super().__init__(settings, run_id, observer=observer, allowed_hosts=allowed_hosts)
        self._ticket = ticket
        self._containers = containers
        if ledger is not None:
            self.__dict__["ledger"] = ledger

    @cached_property
    def stages(self) -> StageTasks:
        """Carries out the stages as task runs."""
        return StageTasks(self._ticket.id, self.run_id, self.settings, self.observer)

    @cached_property
    def sandbox(self) -> "DockerSandbox":
        """What runs jobs; in a batch, in their turn."""
        if self._containers is None:
            return super().sandbox
        return BoundedSandbox(self._containers, runtime=self.settings.runtime)

    def model_turn(self) -> AbstractContextManager[None]:
        """Wait for a slot of the server's limit, or for the end of the batch."""
        return model_turn() if self._containers is None else _turn_in_batch(self._containers)

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than until the batch is ended; raises `BatchStopped` where it is."""
        super().pause(seconds) if self._containers is None else self._containers.wait(seconds)


@contextmanager
def _turn_in_batch(containers: Containers) -> "Iterator[None]":
    with ExitStack() as held:
        try:
            held.enter_context(model_turn(containers.check))
        except OrchestratorUnavailable as error:  # it ends the batch, else each ticket would wait for it in turn
            containers.stop(error)
            raise
        yield


def run_stages(
    ports: TicketPorts, case: CaseFile, request: "VerifyRequest", approver: Approver, *, attended: bool = True
) -> None:
    """All stages but the last; `case.chain()` around it takes what ends them early.

    Args:
        ports: the effects of this run.
        case: takes what each stage returns.
        request: what was asked for.
        approver: who answers the confirmation.
        attended: whether that is asked about this ticket alone, and not about a whole batch or in advance.
    """
    ticket = case.ticket
    with results_kept_in(ports.stages.storage):
        found = ports.stages.run("scan", partial(admission.look_at, ports, ticket))
        snapshot, scan = case.keep(found[0]), case.keep(found[1])
        question = admission.pose_question(ports, ticket, snapshot, scan)
        if request.dry_run:
            show(ticket_sections(question))
        attended = attended and request.approval == "ask" and not (request.dry_run or ports.allowed_hosts)
        case.unless(admission.admit(scan, allow_dangerous=request.allow_dangerous, attended=attended))
        case.unless(admission.apply_policy(ports, ticket))
        case.unless(DRY_RUN if request.dry_run else None)
        ports.observer.began("confirm")  # no task: who is asked in the UI is asked by a run of its own
        confirmation = case.keep(admission.confirm(ports, question, approver))
        case.unless(admission.unconfirmed(confirmation, scan, allow_dangerous=request.allow_dangerous))
        case.keep(trial.run_verification(ports, ticket, snapshot, confirmation))
        references = case.keep(research.read_references(ports, ticket))
        written = case.keep(writing.write_tests(ports, ticket, snapshot, references.brief))
        screening = case.keep(trial.screen_tests(ports, ticket, snapshot, written.attack))
        attacked = case.keep(trial.run_attack(ports, ticket, snapshot, screening))
        triage = case.keep(trial.triage_tests(ports, ticket, snapshot, screening, attacked))
        evidence = Evidence(screening=screening, attacked=attacked, triage=triage)
        measured = case.keep(strength.measure_strength(ports, ticket, snapshot, evidence))
        hardened = case.keep(hardening.harden(ports, ticket, snapshot, evidence, measured))
        again = case.keep(second_environment.run_elsewhere(ports, ticket, snapshot, hardened))
        tell_completed(case)
        critique = case.keep(critics.review_change(ports, ticket, snapshot, hardened, again))
        tell_reviewed(case, critique)
        reworking = case.keep(rework.rework(ports, ticket, snapshot, critique))
        tell_reworked(case, reworking)
        decided = critics.is_decided(ports, hardened, again)
        ports.observer.began("judge")  # no task, as the confirmation is none
        judged = case.keep(escalation.escalate(ports, question, approver, critique, reworking, decided=decided))
        tell_judged(case, judged)
        case.keep(trial.reach_verdict(ports, hardened, again, judged.critique))


def record_outcome(ports: TicketPorts, case: CaseFile) -> Outcome:
    """The last stage: the outcome, durable, then shown in the Prefect UI as far as Prefect takes it.

    Raises:
        LedgerUnavailable: naming the verdict, and the file that holds it instead.
    """
    return ports.stages.run("outcome", partial(record_and_show, ports, case, still_answers))
