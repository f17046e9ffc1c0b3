"""An engine or image that is not there is told once, before the first ticket, and nothing is recorded for it."""

from contextlib import closing
from types import SimpleNamespace

import pytest

from flows.batch.opening import open_batch
from flows.batch.readiness import require_all
from flows.batch.request import BatchRequest
from refute.batch.entry import read_entries
from refute.errors import AuditUnavailable, EngineUnavailable, ImageMissing, SettingsInvalid
from refute.guardrails.audit import AuditLog
from refute.ledger.batches import Answer, Batches
from refute.ports import Ports
from refute.settings import Settings
from refute.settings_fields import TesterName


class Machine:
    """As much of `Ports` as is asked: an engine with images for some versions of Python."""

    def __init__(self, *pythons: str, engine: bool = True) -> None:
        self.pythons, self.engine, self.asked = pythons, engine, 0
        self.sandbox = SimpleNamespace(facts=self.facts, close=lambda: None)
        self.audit = SimpleNamespace(require_writable=lambda: None)
        self.settings = Settings()

    require_model = Ports.require_model

    def facts(self) -> None:
        if not self.engine:
            raise EngineUnavailable("no container engine answers at /x", hint="Start Docker.")

    def image(self, python: str) -> None:
        self.asked += 1
        if python not in self.pythons:
            raise ImageMissing(f"no sandbox image for Python {python}", hint="Build it: refute image build")


@pytest.fixture
def tickets(write, tmp_path):
    """Three tickets, one of them for another Python."""
    for name in "ABC":
        directory = write(name)
    with (directory / "ticket.yaml").open("a") as file:
        file.write("python: '3.13'\n")
    return tmp_path / "tickets"


def require(tickets, machine: Machine) -> list[str]:
    told: list[str] = []
    require_all(read_entries(tickets), machine, tell=told.append)
    return told


def test_where_no_ticket_could_run_it_is_said_once_with_what_to_do(tickets):
    machine = Machine()
    with pytest.raises(ImageMissing, match="no ticket was begun") as raised:
        require(tickets, machine)
    assert "refute image build" in raised.value.hint
    assert "same command again" in raised.value.hint
    assert machine.asked == 2  # once for each version of Python, not for each ticket


def test_an_engine_that_does_not_answer_and_an_audit_log_that_cannot_be_written_are_told_the_same_way(
    tickets, tmp_path
):
    with pytest.raises(EngineUnavailable, match="no ticket was begun"):
        require(tickets, Machine("3.11", "3.13", engine=False))
    machine = Machine("3.11", "3.13")
    machine.audit = AuditLog(tmp_path)  # a directory
    with pytest.raises(AuditUnavailable, match="no ticket was begun"):
        require(tickets, machine)


def test_where_some_lack_their_image_the_others_run_and_a_warning_says_so(tickets):
    assert require(tickets, Machine("3.11", "3.13")) == []
    (warning,) = require(tickets, Machine("3.11"))
    assert "1 ticket will end ERROR" in warning
    assert "refute image build" in warning


def test_nothing_is_in_the_ledger_then_and_the_name_of_the_batch_stays_free(tickets, ledger, settings):
    def no_engine(due: list[object]) -> None:
        assert len(due) == 3
        raise ImageMissing("none")

    request = BatchRequest(source=tickets, batch_id="night", approval="in_advance", settings=settings)
    for _ in range(2):
        with pytest.raises(ImageMissing):
            open_batch(Batches(ledger), request, check=no_engine)


def test_a_list_that_only_waits_needs_no_engine_and_what_was_answered_does(tickets, ledger, settings):
    due: list[str] = []

    def note(entries) -> None:
        due[:] = [entry.ticket_id for entry in entries]

    batches = Batches(ledger)
    open_batch(batches, BatchRequest(source=tickets, batch_id="w", approval="pending", settings=settings), check=note)
    assert due == []
    batches.answer("w", Answer.APPROVED, by="Ada", digests={"B": None})
    open_batch(batches, BatchRequest(resume="w", approval="pending", settings=settings), check=note)
    assert due == ["B"]
    with closing(ledger):
        open_batch(batches, BatchRequest(resume="w", approval="ask", settings=settings), check=note)
    assert due == ["A", "B", "C"]


def test_a_model_whose_settings_are_refused_is_told_before_the_first_ticket(tickets, tmp_path):
    machine = Machine("3.11", "3.13")
    machine.settings = Settings(tester=TesterName.GEMINI, gemini_file=tmp_path / "gemini.yaml")
    with pytest.raises(SettingsInvalid, match="the gemini tester needs this file"):
        require(tickets, machine)
    assert machine.asked == 0
