"""`refute gate`: one document on stdout, its exit code, its options; and what those of `verify` ask of the same run."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from flows.adversarial_workflow import run_adversarial_workflow
from flows.program import refute
from flows.request import settings_of
from refute.errors import SettingsInvalid, UsageError
from refute.governance.attestation import AttestationRefused
from refute.outcome import Outcome, Status
from refute.ports import Ports
from refute.settings import Settings
from refute.stages.admission import take_snapshot
from refute.ticket.parse import load_ticket
from tests.fakes.outcomes import fake_outcome
from tests.fakes.tickets import write_ticket


@pytest.fixture
def ticket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REFUTE_STATE_DIR", str(tmp_path / "state"))
    home = write_ticket(tmp_path / "ticket", script="python -c 'import a'\n")
    monkeypatch.chdir(home)
    return home


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the flow was asked for; the first entry is the outcome's status."""
    found: list[Any] = [Status.PASS]

    def run_tickets(these: list[Any], settings: Settings, **_: Any) -> Any:
        (request,) = these
        found.append(request)
        ticket = load_ticket(request.ticket)
        digest = take_snapshot(Ports(settings, "run-1"), ticket).digest
        outcome: Outcome = fake_outcome(ticket.id, status=found[0])
        yield replace(outcome, provenance=replace(outcome.provenance, snapshot_digest=digest))

    monkeypatch.setattr("flows.run.run_tickets", run_tickets)
    return found


@pytest.fixture
def called(ticket: Path, requests: list[Any]) -> Callable[..., Result]:
    return lambda *arguments: CliRunner().invoke(refute, ["gate", *map(str, arguments)], standalone_mode=False)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "gate.pem"
    path.write_bytes(Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return path


@pytest.mark.parametrize("status", list(Status))
def test_the_exit_code_is_the_verdict_and_stdout_one_document(called, requests, status):
    requests[0] = status
    result = called("--yes")
    assert result.return_value == (17 if status is Status.SKIPPED else status.exit_code)
    assert json.loads(result.stdout)["status"] == status


def test_the_policy_reaches_the_run(called, requests, tmp_path):
    (tmp_path / "policy.yaml").write_text("require_tester: gemini\nstrength_floor: 0.9\n")
    result = called(".", "--policy", tmp_path / "policy.yaml")
    assert result.return_value == 11
    assert requests[1].policy == tmp_path / "policy.yaml"
    assert settings_of(requests[1]).strength_floor == 0.6  # the flow tightens, also where a worker runs it


def test_a_wrong_policy_is_told_before_anything_runs(called, requests, tmp_path):
    (tmp_path / "policy.yaml").write_text("strength_flor: 0.9\n")
    result = called("--policy", tmp_path / "policy.yaml")
    assert isinstance(result.exception, SettingsInvalid)
    assert (result.stdout, len(requests)) == ("", 1)


def test_without_a_ticket_the_parts_make_one(called, requests):
    parts = ("--implementation", "a.py", "--claim", "A is 1.", "--verification-script", "verify.sh")
    assert json.loads(called(*parts).stdout)["ticket_id"] == "a"
    assert requests[1].approval == "ask"
    assert "together" in str(called(*parts[:4]).exception)
    assert "together" in str(called(".", *parts).exception)


def test_an_attestation_is_checked_without_a_run(called, requests, ticket, key):
    written = called("--attest", "verdict.jsonl", "--key", key, "--sarif", "gate.sarif")
    assert written.return_value == 0, written.output
    checked = called("--verify", "verdict.jsonl", "--key", key)
    assert (checked.return_value, len(requests)) == (0, 2)
    assert json.loads(checked.stdout)["status"] == "PASS"
    (ticket / "a.py").write_text("A = 2\n")
    refused = called("--verify", "verdict.jsonl", "--key", key)
    assert isinstance(refused.exception, AttestationRefused)
    assert refused.exception.exit_code == 1
    assert refused.stdout == ""


def test_verifying_writes_nothing(called, key):
    assert "runs nothing" in str(called("--verify", "x", "--attest", "y", "--key", key).exception)


def test_the_python_function_returns_the_outcome(ticket, requests, tmp_path):
    (tmp_path / "policy.yaml").write_text("no_network: true\n")
    outcome = run_adversarial_workflow(
        ["a.py"], ["A is 1."], "verify.sh", approval="in_advance", policy=tmp_path / "policy.yaml", ticket_id="X-1"
    )
    assert (outcome.status, outcome.ticket_id) == (Status.PASS, "X-1")
    assert requests[1].approval == "in_advance"


def test_the_python_function_returns_no_pass_that_does_not_meet_the_policy(ticket, requests, tmp_path):
    (tmp_path / "policy.yaml").write_text("require_tester: gemini\n")
    outcome = run_adversarial_workflow(["a.py"], ["A is 1."], "verify.sh", policy=tmp_path / "policy.yaml")
    assert outcome.status is Status.PASS_WEAK
    assert "requires a test by gemini" in outcome.reason


@pytest.mark.parametrize("hosts", [(), ("example.org",), ("example.org", "api.example:8443")])
def test_the_allowed_hosts_and_no_others_reach_the_flow(ticket, requests, hosts):
    options = [word for host in hosts for word in ("--allow-network", host)]
    result = CliRunner().invoke(refute, ["verify", str(ticket), *options])
    assert [request.allow_network for request in requests[1:]] == [hosts], result.output


def test_this_machine_cannot_be_allowed_and_nothing_starts(ticket, requests):
    result = CliRunner().invoke(refute, ["verify", str(ticket), "--allow-network", "127.0.0.1"])
    assert isinstance(result.exception, UsageError)
    assert requests == [Status.PASS]
