"""`refute audit verify` finds what was changed, and by the ledger what was cut off the end."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from flows.program import refute
from refute.case import CaseFile
from refute.guardrails.audit import Decision, Gate
from refute.outcome import Status, Stop
from refute.ports import Ports
from refute.recording import record
from refute.settings import Settings
from tests.fakes.tickets import fake_ticket


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An audit log of three verdicts, each with its outcome in the ledger, and a line after them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REFUTE_STATE_DIR", str(tmp_path / "state"))
    settings = Settings.load()
    for number in range(3):
        ports = Ports(settings, run_id=f"run-{number}")
        stop = Stop(status=Status.CANCELLED, reason="no")
        record(ports, CaseFile(ticket=fake_ticket(ticket_id="T-1"), run_id=f"run-{number}", stop=stop))
    ports.audit.record(Gate.SCAN, Decision.ALLOW, run_id="later", reason="")
    return settings.audit_path.absolute()


def verify(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(refute, ["audit", "verify", *map(str, arguments)], standalone_mode=False)
    return done.return_value, done.output


def lines(log: Path) -> list[str]:
    return log.read_text().splitlines(keepends=True)


def test_a_log_as_it_was_written_passes(log):
    code, said = verify()
    assert code == 0
    assert "4 lines, chain intact" in said
    assert "ledger: 3 of 3 verdicts found" in said


@pytest.mark.parametrize("kept", [0, 2])
def test_a_log_that_was_cut_is_found_though_its_chain_is_whole(log, kept):
    log.write_text("".join(lines(log)[:kept]))
    code, said = verify()
    assert code == 1
    assert (f"{kept} lines, chain intact" if kept else ": empty") in said
    assert f"{3 - kept} missing, the first at line {kept + 1}" in said


def test_of_a_copy_that_no_ledger_knows_the_end_is_not_said_to_be_checked(log):
    copy = log.with_name("copy.jsonl")
    copy.write_text("".join(lines(log)[:2]))
    code, said = verify(copy)
    assert code == 0
    assert "lines cut off its end would not show" in said


def test_a_changed_line_is_named(log):
    changed = lines(log)
    changed[1] = changed[1].replace('"deny"', '"allow"')
    log.write_text("".join(changed))
    code, said = verify()
    assert code == 1
    assert "line 2: changed after it was written" in said


def test_a_log_that_is_gone_is_told_with_what_the_ledger_knows_of_it(log):
    log.unlink()
    code, said = verify()
    assert code == 1
    assert "no audit log; the ledger has 3 verdicts of it" in said
