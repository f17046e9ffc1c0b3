"""Ticket records as small as a test needs them."""

from pathlib import Path
from typing import Any

from refute.ticket.record import Claim, ClaimId, Ticket, TicketId


def fake_ticket(*claims: str, ticket_id: str = "T", **fields: Any) -> Ticket:
    """A ticket for `a.py` that nothing reads from disk.

    Args:
        claims: their texts; ids are C1, C2 and so on.
        ticket_id: its id.
        fields: of the record, instead of what a test does not care about.
    """
    defaults: dict[str, Any] = {
        "title": "t",
        "workspace": Path("/w"),
        "implementation_files": ("a.py",),
        "verification_script": "verify.sh",
        "source": "ticket.yaml",
        "claims": tuple(Claim(id=ClaimId(f"C{number}"), text=text) for number, text in enumerate(claims, 1)),
    }
    return Ticket(id=TicketId(ticket_id), **(defaults | fields))
