"""The gate as a Python function, for workflows without ticket files.

    from flows.adversarial_workflow import run_adversarial_workflow

    outcome = run_adversarial_workflow(["pricing.py"], ["discount() never returns less than 0."], "verify.sh")
    if outcome.status is not Status.PASS: ...

Importing it starts nothing; the call holds a local Prefect server, or the one of PREFECT_API_URL.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypedDict, Unpack

from flows.request import VerifyRequest
from refute.governance.gate import gate_document
from refute.governance.policy import load_policy
from refute.governance.ticketless import Claim, write_ticket
from refute.outcome import Outcome
from refute.settings import Settings
from refute.ticket.parse import load_ticket


class WorkflowOptions(TypedDict, total=False):
    """What may be given besides; each has a default."""

    workspace: Path
    """Directory that holds the files; default: the working directory."""
    ticket_id: str
    """Default: the first file's name without its suffix."""
    labels: Sequence[str]
    policy: Path
    """A gate's policy file; a PASS that does not meet it is returned as PASS_WEAK."""
    approval: Literal["ask", "in_advance"]
    """ask (default): a person at the terminal. in_advance: the caller approves a script that scans clean."""
    settings: Settings
    """Default: `Settings.load()`, from refute.yaml and the environment."""


def run_adversarial_workflow(
    implementation_files: Sequence[Path | str],
    claims: Sequence[Claim],
    verification_script: Path | str,
    **options: Unpack[WorkflowOptions],
) -> Outcome:
    """Try to refute claims about files, as `refute verify` does for a ticket.

    Args:
        implementation_files: what the claims are about.
        claims: sentences, or mappings with the fields of a claim in ticket.yaml.
        verification_script: the author's own script.
        options: see `WorkflowOptions`.

    Returns:
        The outcome, its status after the policy; the ledger has the one before.

    Raises:
        UsageError: files, claims, policy or settings cannot be used.
        InfrastructureError: Prefect's server or the ledger did not do its part; a failing engine is Status.ERROR.
    """
    from flows.run import run_tickets

    settings = options.get("settings") or Settings.load()
    ticket = write_ticket(
        settings,
        implementation_files,
        claims,
        verification_script,
        workspace=options.get("workspace"),
        ticket_id=options.get("ticket_id"),
        labels=options.get("labels", ()),
    )
    file = options.get("policy")
    policy = load_policy(file)
    request = VerifyRequest(
        ticket=ticket,
        approval=options.get("approval", "ask"),
        policy=file.resolve() if file else None,
        settings=settings,
    )
    (outcome,) = run_tickets([request], settings)
    document = gate_document(load_ticket(ticket), outcome, policy, settings)
    return replace(outcome, status=document.status, reason=document.reason)
