"""The flow: snapshot → scan → confirm → verify → write tests → screen → attack → triage → strength → harden → verdict.

Then the outcome, in every case.
"""

from contextlib import AbstractContextManager
from typing import Final

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run

from flows.batch.crashed import introduce_ticket
from flows.confirmation.approver import FormApprover
from flows.in_advance import approved_by
from flows.interruption import Interruptions, interruptions
from flows.orchestrator.model_limit import model_turn
from flows.request import VerifyRequest, refuse_foreign_settings, settings_of
from flows.session import current_session
from flows.states import final_state, keep_tracebacks_out
from flows.story import RunStory
from flows.terminal.approver import TerminalApprover, show
from refute.approval import AdvanceApprover, Approver
from refute.case import CaseFile
from refute.journal import Journal
from refute.observer import Watchers
from refute.outcome import Outcome, Status, Stop
from refute.ports import Ports
from refute.recording import record
from refute.sandbox.network_hosts import read_hosts
from refute.stages import admission
from refute.stages.evidence import Evidence
from refute.ticket.parse import load_ticket
from tasks.attack import run_attack
from tasks.confirm import confirm
from tasks.harden import harden
from tasks.outcome import record_outcome
from tasks.scan import scan_scripts
from tasks.screen import screen_tests
from tasks.snapshot import take_snapshot
from tasks.strength import measure_strength
from tasks.triage import triage_tests
from tasks.verdict import reach_verdict
from tasks.verify import run_verification
from tasks.write_tests import write_tests

DRY_RUN: Final = Stop(status=Status.DRY_RUN, reason="nothing was executed: script, scan and plan were shown")


class TicketPorts(Ports):
    """The effects of a run of one ticket."""

    def model_turn(self) -> AbstractContextManager[None]:
        """Wait for a slot of the server's limit."""
        return model_turn()


@flow(name="verify-ticket", flow_run_name="verify {request.ticket.name}", persist_result=False, log_prints=False)
def verify_ticket(request: VerifyRequest) -> State[Outcome]:
    """Try to refute one ticket's claims.

    Raises:
        UsageError: the ticket or its files cannot be used; everything else ends in an outcome.
    """
    refuse_foreign_settings(request, started_by_worker=not current_session().api_url)
    keep_tracebacks_out()
    if not current_session().api_url:
        introduce_ticket()
    ticket = load_ticket(request.ticket)
    run_id = str(flow_run.id)
    journal = Journal.of(request.settings, run_id=run_id, ticket_id=ticket.id)
    observer = Watchers(current_session().observer, RunStory(), journal)
    hosts = read_hosts(request.allow_network)
    ports = TicketPorts(settings_of(request), run_id=run_id, observer=observer, allowed_hosts=hosts)
    case = CaseFile(ticket=ticket, run_id=ports.run_id, flow_run_url=flow_run.ui_url or "", observer=observer)
    with interruptions() as signals:
        with case.chain(), signals.let_through():
            run_stages(ports, case, request, _approver(request, ports))
        ports.discard_prepared()
        outcome = _recorded(ports, case, signals)
        RunStory().closed(outcome)
        # Nobody takes the outcome from a worker, where Prefect would read a failed state's data as an exception.
        return final_state(outcome, carry=bool(current_session().api_url))


def run_stages(ports: Ports, case: CaseFile, request: VerifyRequest, approver: Approver) -> None:
    """All stages but the last; `case.chain()` around it takes what ends them early.

    Args:
        ports: the effects of this run.
        case: takes what each stage returns.
        request: what was asked for.
        approver: who answers the confirmation.
    """
    ticket = case.ticket
    snapshot = case.keep(take_snapshot(ports, ticket))
    scan = case.keep(scan_scripts(ports, ticket, snapshot))
    question = admission.pose_question(ports, ticket, snapshot, scan)
    if request.dry_run:
        show(question)
    case.unless(admission.admit(scan, allow_dangerous=request.allow_dangerous))
    case.unless(admission.apply_policy(ports, ticket))
    case.unless(DRY_RUN if request.dry_run else None)
    confirmation = case.keep(confirm(ports, question, approver))
    case.unless(admission.unconfirmed(confirmation))
    case.keep(run_verification(ports, ticket, snapshot, confirmation))
    writing = case.keep(write_tests(ports, ticket, snapshot))
    screening = case.keep(screen_tests(ports, ticket, snapshot, writing.attack))
    attacked = case.keep(run_attack(ports, ticket, snapshot, screening))
    triage = case.keep(triage_tests(ports, ticket, snapshot, screening, attacked))
    evidence = Evidence(screening=screening, attacked=attacked, triage=triage)
    measured = case.keep(measure_strength(ports, ticket, snapshot, evidence))
    hardened = case.keep(harden(ports, ticket, snapshot, evidence, measured))
    case.keep(reach_verdict(ports, hardened))


def _recorded(ports: Ports, case: CaseFile, signals: Interruptions) -> Outcome:
    """The outcome, durable: also where Prefect's server is gone, or somebody will not wait for it."""
    current = current_session()
    try:
        with signals.let_through():
            if not current.lost_server():
                record_outcome(ports, case)
    except BaseException:  # noqa: BLE001, S110  # whatever it was, the ledger gets the outcome: the next line
        pass
    current.recorded = record(ports, case)
    return current.recorded


def _approver(request: VerifyRequest, ports: Ports) -> Approver:
    """Who answers the confirmation. Blocking findings are always put to a person, in the UI where a worker runs us."""
    if request.approval == "in_advance" and not request.allow_dangerous:
        return AdvanceApprover(by=approved_by())
    if not current_session().api_url:
        return FormApprover(ports)
    return TerminalApprover(in_advance=request.approval == "in_advance")
