"""The gate N2.5 as a flow, to be called by any other Prefect flow: verifies one ticket, returns the gate's document."""

from prefect.artifacts import create_markdown_artifact

from flows.console import listening
from flows.refute_flow import refute_flow
from flows.request import VerifyRequest, settings_of
from flows.verify_ticket import verify_ticket
from refute.governance.gate import GateDocument, gate_document
from refute.governance.policy import load_policy, tightened
from refute.guardrails.plain_text import markdown_block, markdown_text
from refute.ticket.parse import load_ticket


@refute_flow("gate", run_name="gate {request.title}")
def gate(request: VerifyRequest) -> GateDocument:
    """Verify a ticket under the request's policy. Whatever the verdict, it is returned, and the run is Completed.

    Raises:
        UsageError: ticket, files or policy cannot be used.
    """
    ticket, policy = load_ticket(request.ticket), load_policy(request.policy)
    with listening() as heard:
        state = verify_ticket(request, return_state=True)
    if not heard:
        state.result()  # raises what kept the run from an outcome
        raise TypeError("the run of verify-ticket ended without an outcome, expected one")
    document = gate_document(ticket, heard[0], policy, tightened(settings_of(request), policy.policy, ticket))
    create_markdown_artifact(key="gate", markdown=in_markdown(document), description=f"{document.status}")
    return document


def in_markdown(document: GateDocument) -> str:
    """The verdict and what goes back to the implementer, for people."""
    lines = [f"# {document.ticket_id}: {document.status}", markdown_text(document.reason)]
    for one in document.failures:
        lines.append(f"## {one.kind} {markdown_text(one.claim_id)}\n\nExpected: {markdown_text(one.expected)}")
        lines.append(markdown_block("\n".join(filter(None, [one.observed, one.smallest_input, one.where]))))
    return "\n\n".join(lines) + "\n"
