"""Files, claims and a script without a ticket become one."""

import pytest

from refute.errors import TicketInvalid
from refute.governance.ticketless import write_ticket
from refute.ticket.parse import load_ticket


def test_what_is_named_becomes_a_ticket_of_the_working_directory(ticket, settings, monkeypatch):
    monkeypatch.chdir(ticket.workspace)
    claims = ["It is: 42.", {"id": "K", "text": "It is whole.", "examples": ["answer() == 42"]}]
    made = load_ticket(write_ticket(settings, ["answer.py"], claims, ticket.workspace / "verify.sh"))
    assert (made.id, made.workspace) == ("answer", ticket.workspace)
    assert [(claim.id, claim.text) for claim in made.claims] == [("C1", "It is: 42."), ("K", "It is whole.")]
    assert made.verification_script == "verify.sh"


def test_the_same_call_names_the_same_ticket(ticket, settings):
    def call():
        return write_ticket(settings, ["answer.py"], ["c"], "verify.sh", workspace=ticket.workspace)

    assert call() == call()


@pytest.mark.parametrize(
    ("files", "claims", "told"),
    [
        ([], ["c"], "implementation_files: got a list of 0"),
        (["answer.py"], [], "claims: got a list of 0"),
        (["../x.py"], ["c"], "stays inside the workspace"),
        (["/etc/passwd"], ["c"], "stays inside the workspace"),
    ],
)
def test_what_cannot_be_verified_is_refused_as_in_a_ticket_file(ticket, settings, files, claims, told):
    path = write_ticket(settings, files, claims, "verify.sh", workspace=ticket.workspace)
    with pytest.raises(TicketInvalid, match=told):
        load_ticket(path)


def test_a_wrong_claim_is_told_as_in_a_ticket_file(ticket, settings):
    path = write_ticket(
        settings, ["answer.py"], [{"text": "c", "exampels": []}], "verify.sh", workspace=ticket.workspace
    )
    with pytest.raises(TicketInvalid, match="did you mean examples"):
        load_ticket(path)
