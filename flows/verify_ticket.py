"""The flow of one ticket: its stages as task runs, then its outcome in every case."""

from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.utilities.urls import url_for

from flows.confirmation.approver import PersonApprover
from flows.console import current_console, hand_back
from flows.in_advance import approved_by
from flows.interruption import Interruptions, interruptions
from flows.pipeline import TicketPorts, record_outcome, run_stages
from flows.refute_flow import refute_flow
from flows.request import VerifyRequest, refuse_foreign_settings, settings_of
from flows.states import final_state
from flows.story import RunStory
from refute.approval import AdvanceApprover, Approver
from refute.case import CaseFile
from refute.governance.policy import load_policy, tightened
from refute.journal import Journal
from refute.observer import Unwatched, Watchers
from refute.outcome import Outcome
from refute.recording import record
from refute.sandbox.network_hosts import read_hosts
from refute.ticket.parse import load_ticket


@refute_flow("verify-ticket", run_name="verify {request.title}")
def verify_ticket(request: VerifyRequest) -> State[None]:
    """Try to refute one ticket's claims. The state says how it ended; the ledger has the outcome.

    Raises:
        UsageError: the ticket or its files cannot be used; everything else ends in an outcome.
    """
    console = current_console()
    refuse_foreign_settings(request, started_by_worker=console is None)
    ticket, run_id = load_ticket(request.ticket), str(flow_run.id)
    journal = Journal.of(request.settings, run_id=run_id, ticket_id=ticket.id)
    observer = Watchers(console.observer if console else Unwatched(), RunStory(), journal)
    hosts = read_hosts(request.allow_network)
    settings = tightened(settings_of(request), load_policy(request.policy).policy, ticket)
    ports = TicketPorts(settings, run_id, ticket, observer=observer, allowed_hosts=hosts)
    case = CaseFile(
        ticket=ticket, run_id=run_id, flow_run_url=url_for("flow-run", obj_id=run_id) or "", observer=observer
    )
    with interruptions() as signals:
        with case.chain(), signals.let_through():
            run_stages(ports, case, request, _approver(request, ports))
        ports.discard_prepared()
        outcome = _recorded(ports, case, signals)
        hand_back(outcome)
        return final_state(outcome)


def _recorded(ports: TicketPorts, case: CaseFile, signals: Interruptions) -> Outcome:
    """The outcome, durable: also where Prefect's server is gone, or somebody will not wait for it."""
    try:
        with signals.let_through():
            return record_outcome(ports, case)
    except BaseException:  # noqa: BLE001, S110  # the flow's boundary: the ledger gets the outcome, by the next line
        pass
    return record(ports, case)


def _approver(request: VerifyRequest, ports: TicketPorts) -> Approver:
    """Who answers the confirmation. Blocking findings that may be overridden are always put to a person."""
    if request.approval != "in_advance":
        return PersonApprover(ports)
    advance = AdvanceApprover(by=approved_by())
    return PersonApprover(ports, advance=advance) if request.allow_dangerous else advance
