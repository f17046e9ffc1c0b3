"""Settings do not travel with a run that a worker takes."""

from pathlib import Path

import pytest

from flows.console import Console, attached
from flows.in_advance import approved_by, by_deployment
from flows.request import VerifyRequest, refuse_foreign_settings
from refute.errors import SettingsInvalid
from refute.settings import Settings
from refute.ticket.parse import load_ticket
from tests.fakes.tickets import write_ticket


def test_a_worker_refuses_settings_among_the_parameters(tmp_path: Path) -> None:
    given = VerifyRequest(ticket=tmp_path, settings=Settings(audit_enabled=False))
    with pytest.raises(SettingsInvalid, match="a worker has its own"):
        refuse_foreign_settings(given, started_by_worker=True)


def test_a_run_is_named_by_its_ticket_and_by_its_path_where_that_cannot_be_read(tmp_path: Path) -> None:
    ticket = write_ticket(tmp_path / "folder", script="true\n")
    assert VerifyRequest(ticket=ticket).title == load_ticket(ticket).id != "folder"
    (ticket / "ticket.yaml").write_text("id: [")
    assert VerifyRequest(ticket=ticket).title == "folder"


def test_at_the_command_line_it_is_the_flag_of_whoever_is_logged_in_and_elsewhere_it_is_never_said_to_be(monkeypatch):
    monkeypatch.setenv("LOGNAME", "ada")
    with attached(Console(api_url="http://127.0.0.1:4200/api")):
        assert approved_by() == "--yes (ada)"
    assert approved_by() == "whoever called the flow with approval: in_advance"


def test_a_deployment_that_carries_the_approval_is_named():
    parameters = {"request": {"source": "tickets", "approval": "in_advance"}}
    said = by_deployment("verify-batch/nightly", parameters, run_name="batch tickets")
    assert said == "the deployment verify-batch/nightly (approval: in_advance)"


@pytest.mark.parametrize("parameters", [{"request": {"approval": "ask"}}, {"request": {}}, {}, {"request": None}])
def test_where_the_deployment_asks_it_is_whoever_changed_that_in_the_form(parameters):
    said = by_deployment("verify-batch/batch", parameters, run_name="batch x")
    assert said == "whoever started the run 'batch x' of the deployment verify-batch/batch with approval: in_advance"
