from pathlib import Path
from typing import ClassVar

import pytest

from refute.case import CaseFile
from refute.errors import LedgerUnavailable
from refute.observer import Unwatched
from refute.outcome import Outcome, Status, Stop
from refute.places import evidence_directory
from refute.ports import Ports
from refute.recording import record
from refute.settings import Settings
from tests.fakes.tickets import fake_ticket


@pytest.fixture
def ports(tmp_path) -> Ports:
    settings = Settings.load(
        state_dir=tmp_path / "state", costs_csv=tmp_path / "costs.csv", audit_path=tmp_path / "audit.jsonl"
    )
    return Ports(settings, run_id="run")


@pytest.fixture
def case() -> CaseFile:
    ticket = fake_ticket(ticket_id="T-1")
    return CaseFile(ticket=ticket, run_id="run", stop=Stop(status=Status.CANCELLED, reason="no"))


class _Failing:
    def record(self, outcome: Outcome, **_: object) -> bool:
        raise LedgerUnavailable("ledger x: the disk is full", hint="make room")


class _Interrupted:
    """Is interrupted the first time."""

    def __init__(self, ledger) -> None:
        self._ledger = ledger
        self._calls = 0
        self.locks = ledger.locks

    def record(self, outcome: Outcome, **_: object) -> bool:
        self._calls += 1
        if self._calls == 1:
            raise KeyboardInterrupt
        return self._ledger.record(outcome)

    def __getattr__(self, name: str) -> object:
        return getattr(self._ledger, name)


def test_recording_goes_on_after_an_interruption_and_writes_everything_once(ports, case, tmp_path):
    ledger = ports.ledger
    ports.__dict__["ledger"] = _Interrupted(ledger)
    with pytest.raises(KeyboardInterrupt):
        record(ports, case)
    outcome = record(ports, case)
    assert record(ports, case) is outcome
    assert [one.status for one in ledger.outcomes()] == [Status.CANCELLED]
    assert len((tmp_path / "costs.csv").read_text().splitlines()) == 2
    assert len((tmp_path / "audit.jsonl").read_text().splitlines()) == 1


def test_an_interruption_between_ledger_and_cost_table_leaves_no_gap_there(ports, case, tmp_path, monkeypatch):
    def interrupted(*_: object) -> int:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr("refute.ledger.costs_csv.append_missing", interrupted)
    with pytest.raises(KeyboardInterrupt):
        record(ports, case)
    record(ports, case)
    assert len((tmp_path / "costs.csv").read_text().splitlines()) == 2


def test_where_the_ledger_fails_the_message_names_the_verdict_and_the_file_that_holds_it(ports, case):
    ports.__dict__["ledger"] = _Failing()
    with pytest.raises(LedgerUnavailable, match="T-1, CANCELLED") as failure:
        record(ports, case)
    document = evidence_directory(ports.settings.state_dir, "run", "T-1") / "outcome.json"
    assert str(document) in str(failure.value)
    assert '"CANCELLED"' in document.read_text()


def test_evidence_that_cannot_be_written_does_not_keep_the_outcome_from_the_ledger(ports, case, monkeypatch):
    def full(self, data):
        raise OSError(28, "No space left on device")

    ledger = ports.ledger
    monkeypatch.setattr(Path, "write_bytes", full)
    record(ports, case)
    assert len(ledger.outcomes(run_id="run")) == 1


def test_a_cost_table_that_cannot_be_written_is_a_warning_and_the_outcome_stands(tmp_path, case):
    class Listening(Unwatched):
        heard: ClassVar[list[str]] = []

        def warned(self, message: str) -> None:
            self.heard.append(message)

    (tmp_path / "file").touch()
    settings = Settings.load(
        state_dir=tmp_path / "state", costs_csv=tmp_path / "file" / "costs.csv", audit_path=tmp_path / "audit.jsonl"
    )
    ports = Ports(settings, run_id="run", observer=Listening())
    record(ports, case)
    record(ports, case)  # as the flow does, in case the task before it was lost
    assert len(ports.ledger.outcomes(run_id="run")) == 1
    (warning,) = Listening.heard
    assert "costs.csv: cannot be written" in warning


def test_a_verdict_that_cannot_be_audited_is_withdrawn_and_an_error_keeps_its_own_reason(tmp_path, case):
    (tmp_path / "file").touch()
    settings = Settings.load(
        state_dir=tmp_path / "state", costs_csv=tmp_path / "costs.csv", audit_path=tmp_path / "file" / "audit.jsonl"
    )
    outcome = record(Ports(settings, run_id="run"), case)
    assert outcome.status is Status.ERROR
    assert "could not be audited" in outcome.reason
    failed = CaseFile(ticket=case.ticket, run_id="other", stop=Stop(status=Status.ERROR, reason="the engine is gone"))
    assert record(Ports(settings, run_id="other"), failed).reason == "the engine is gone"
