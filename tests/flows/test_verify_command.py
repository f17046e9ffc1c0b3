"""What the options of `refute verify` ask of the flow."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from flows.program import refute
from refute.errors import UsageError
from tests.fakes.outcomes import fake_outcome
from tests.fakes.tickets import write_ticket


@pytest.fixture
def ticket(tmp_path: Path) -> Path:
    return write_ticket(tmp_path)


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the flow was asked for."""
    found: list[Any] = []

    def run_tickets(these: list[Any], *_: Any, **__: Any) -> Iterator[Any]:
        found.extend(these)
        yield fake_outcome()

    monkeypatch.setattr("flows.run.run_tickets", run_tickets)
    return found


@pytest.mark.parametrize("hosts", [(), ("example.org",), ("example.org", "api.example:8443")])
def test_the_allowed_hosts_and_no_others_reach_the_flow(ticket, requests, hosts):
    options = [word for host in hosts for word in ("--allow-network", host)]
    result = CliRunner().invoke(refute, ["verify", str(ticket), *options])
    assert [request.allow_network for request in requests] == [hosts], result.output


def test_this_machine_cannot_be_allowed_and_nothing_starts(ticket, requests):
    result = CliRunner().invoke(refute, ["verify", str(ticket), "--allow-network", "127.0.0.1"])
    assert isinstance(result.exception, UsageError)
    assert requests == []
