"""The flow of `refute critics run`: a ticket's critics alone, each a task run; their reviews go to the ledger."""

from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Completed

from flows.console import hand_back
from flows.pipeline import TicketPorts
from flows.refute_flow import refute_flow
from flows.request import TicketRequest
from refute.critics.focus import Focus, focuses_of
from refute.ledger.reviews import record_reviews
from refute.observer import Unwatched
from refute.stages.admission import take_snapshot
from refute.stages.critics import criticise
from refute.ticket.parse import load_ticket
from tasks.results import results_kept_in


class ReviewRequest(TicketRequest):
    """What to review, by whom."""

    focuses: tuple[Focus, ...] = ()
    """Empty: those that the ticket gets by settings, labels and folders."""
    remediation: bool = True


@refute_flow("review-ticket", run_name="critics of {request.title}")
def review_ticket(request: ReviewRequest) -> State[None]:
    """Have critics look at a ticket's change. Its verification script is not run: only their counterexamples are.

    Raises:
        UsageError: the ticket or its files cannot be used.
        InfrastructureError: engine, model or ledger did not do their part.
    """
    ticket, run_id = load_ticket(request.ticket), str(flow_run.id)
    ports = TicketPorts(request.settings, run_id, ticket, observer=Unwatched())
    with results_kept_in(ports.stages.storage):
        snapshot = take_snapshot(ports, ticket)
        focuses = request.focuses or focuses_of(ticket, request.settings.critics)
        critique = criticise(ports, ticket, snapshot, focuses, remediation=request.remediation)
    record_reviews(ports.ledger, critique.reviews, run_id=run_id, ticket_id=ticket.id)
    hand_back(critique)
    return Completed(message=critique.summary)
