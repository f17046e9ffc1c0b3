"""The gate N2.5 as a flow, to be called by any other Prefect flow: verifies one ticket, returns the gate's document."""

from contextlib import closing

from prefect import flow
from prefect.artifacts import create_markdown_artifact

from flows.request import VerifyRequest, settings_of
from flows.verify_ticket import verify_ticket
from refute.governance.gate import GateDocument, gate_document
from refute.governance.policy import load_policy, tightened
from refute.guardrails.plain_text import markdown_block, markdown_text
from refute.ledger.store import Ledger
from refute.ticket.parse import load_ticket


@flow(name="gate", flow_run_name="gate {request.title}", persist_result=False, log_prints=False)
def gate(request: VerifyRequest) -> GateDocument:
    """Verify a ticket under the request's policy. Whatever the verdict, it is returned, and the run is Completed.

    Raises:
        UsageError: ticket, files or policy cannot be used.
        LedgerUnavailable: the outcome cannot be read.
    """
    ticket, policy = load_ticket(request.ticket), load_policy(request.policy)
    state = verify_ticket(request, return_state=True)
    settings = tightened(settings_of(request), policy.policy, ticket)
    with closing(Ledger.open(settings)) as ledger:
        found = ledger.outcomes(run_id=str(state.state_details.flow_run_id), ticket_id=ticket.id, limit=1)
    if not found:
        state.result()  # raises what kept the run from an outcome
        raise TypeError("the run of verify-ticket ended without an outcome, expected one")
    document = gate_document(ticket, found[0], policy, settings)
    create_markdown_artifact(key="gate", markdown=in_markdown(document), description=f"{document.status}")
    return document


def in_markdown(document: GateDocument) -> str:
    """The verdict and what goes back to the implementer, for people."""
    lines = [f"# {document.ticket_id}: {document.status}", markdown_text(document.reason)]
    for one in document.failures:
        lines.append(f"## {one.kind} {markdown_text(one.claim_id)}\n\nExpected: {markdown_text(one.expected)}")
        lines.append(markdown_block("\n".join(filter(None, [one.observed, one.smallest_input, one.where]))))
    return "\n\n".join(lines) + "\n"
