"""A Prefect server that goes while a run uses it: the outcome is recorded once, and the command soon ends."""

import os
import queue
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import httpx
import pytest

from flows.orchestrator import lost_server
from flows.orchestrator.lost_server import given_up_when_lost, is_lost
from flows.orchestrator.server import ServerFiles, answers
from flows.orchestrator.session import on_running_server
from flows.request import VerifyRequest
from flows.run import run_tickets
from refute.ledger.store import Ledger
from refute.observer import Unwatched
from refute.settings import Settings
from tasks.outcome import NO_ANSWER
from tests.fakes.tickets import write_ticket
from tests.fakes.waiting import wait_for
from tests.fakes.web import answering

REPOSITORY = Path(__file__).resolve().parents[2]
WATCH = '''"""Python imports this at its start (the module site); audit events say who is talked to."""
import ipaddress, os, sys

def watch(event, arguments):
    if event == "socket.connect":
        address = arguments[1]
    elif event == "socket.getaddrinfo":
        address = arguments[:2]
    else:
        return
    if not isinstance(address, tuple):
        return  # a socket in the file system: the container engine
    host = os.fsdecode(address[0] or "localhost")
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    keep(f"{'local' if local else 'OUT'} {event} {host}")

def keep(line):
    with open(os.environ["WATCHED"], "a") as kept:
        kept.write(f"{line} {sys.orig_argv}\\n")

keep("watched")

sys.addaudithook(watch)
'''
WITHIN_S = 600
ENDED_S = 60
"""Measured 4 to 7 s, on an idle machine; Prefect's own drain took 147 s there."""


def test_a_server_that_refuses_for_a_while_is_lost_and_known_soon():
    began = time.monotonic()
    assert is_lost("http://127.0.0.1:9/api", gone_s=0.6)
    assert time.monotonic() - began >= 0.6


def test_a_slow_server_is_not_lost():
    with answering(after_s=0.5) as api_url:
        assert not is_lost(api_url, slow_s=WITHIN_S, gone_s=0.1)


def test_a_server_that_takes_connections_and_never_answers_is_lost():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert is_lost(f"http://127.0.0.1:{silent.getsockname()[1]}/api", slow_s=0.2, gone_s=0.1)


def test_prefect_does_not_try_a_lost_server_until_it_answers_again(monkeypatch):
    from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    said: queue.SimpleQueue[str] = queue.SimpleQueue()
    monkeypatch.setattr(lost_server, "LOOK_S", 0.05)
    monkeypatch.setattr(lost_server, "is_lost", lambda api_url: not answers(api_url))
    with temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 5}), ExitStack() as first:
        api_url = first.enter_context(answering())
        with given_up_when_lost(api_url, say=said.put):
            first.close()
            assert "stopped answering" in said.get(timeout=WITHIN_S)
            wait_for(lambda: PREFECT_CLIENT_MAX_RETRIES.value() == 0)
            with answering(urlsplit(api_url).port or 0):
                assert "answers again" in said.get(timeout=WITHIN_S)
            assert PREFECT_CLIENT_MAX_RETRIES.value() == 5


def test_a_request_between_two_tries_when_its_server_is_given_up_fails_as_one_without_an_answer(monkeypatch):
    from prefect.client.orchestration import get_client
    from prefect.context import get_settings_context
    from prefect.settings import PREFECT_API_URL, PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    with ExitStack() as first:
        api_url = first.enter_context(answering())
        with temporary_settings({PREFECT_API_URL: api_url, PREFECT_CLIENT_MAX_RETRIES: 5}):
            client = first.enter_context(get_client(sync_client=True))
            assert client.api_healthcheck() is None
            settings = get_settings_context().settings
            monkeypatch.setattr(time, "sleep", lambda _: setattr(settings.client, "max_retries", 0))
            monkeypatch.setattr(client._client, "_transport", Unreachable())
            with pytest.raises(NO_ANSWER):
                client.read_task_runs()


class Unreachable(httpx.BaseTransport):
    """Refuses every connection."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)


def alone_in(home: Path, migrated: Callable[[Path], Path]) -> Settings:
    """A state directory with a server of its own: others' is not killed."""
    places = {"costs_csv": home / "costs.csv", "audit_path": home / "audit.jsonl"}
    return Settings.load(state_dir=migrated(home / "state"), server_idle_s=2, **places)


@pytest.fixture
def alone(tmp_path: Path, migrated: Callable[[Path], Path]) -> Settings:
    return alone_in(tmp_path, migrated)


def kill_server(settings: Settings) -> None:
    server = ServerFiles.of(settings).server()
    os.kill(server.pid, signal.SIGKILL)


def doubling(directory: Path, ticket_id: str) -> Path:
    files, script = {"double.py": "def double(n):\n    return 2 * n\n"}, "python -c 'import double'\n"
    return write_ticket(directory, files, script, id=ticket_id, claims=["double(2) returns 4."])


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory, migrated: Callable[[Path], Path]) -> SimpleNamespace:
    """What became of two tickets whose server was killed after the first, and who of both talked to whom meanwhile."""
    home = tmp_path_factory.mktemp("batch")
    settings = alone_in(home, migrated)
    for name in ("A", "B"):
        doubling(home / "tickets" / name, name)
    (home / "watch").mkdir()
    (home / "watch" / "sitecustomize.py").write_text(WATCH)
    defaults = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "DO_NOT_TRACK"))}
    told = {f"REFUTE_{name.upper()}": str(getattr(settings, name)) for name in ("state_dir", "costs_csv", "audit_path")}
    watch = {"PYTHONPATH": f"{home / 'watch'}:{REPOSITORY}", "WATCHED": str(home / "watched")}
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-m", "flows.cli", "batch", str(home / "tickets"), "--yes"]
    running = subprocess.Popen(command, cwd=home, env={**defaults, **watch, **told}, **streams)
    assert running.stderr is not None
    assert any(line.startswith("[1/2]") for line in running.stderr)
    kill_server(settings)
    killed = time.monotonic()
    table, said = running.communicate(timeout=WITHIN_S)
    took_s, watched = time.monotonic() - killed, (home / "watched").read_text().splitlines()
    seen = {"code": running.returncode, "table": table, "said": said, "took_s": took_s, "watched": watched}
    return SimpleNamespace(settings=settings, **seen)


@pytest.mark.engine
@pytest.mark.prefect
def test_a_command_whose_server_is_killed_ends_soon_with_its_outcomes_and_in_words(batch):
    assert batch.took_s < ENDED_S
    assert batch.code in {0, 11}, batch.said
    assert "PASS" in batch.table
    assert "did not receive it (" in batch.said, batch.said
    assert "Error logging" not in batch.said
    assert "Traceback" not in batch.said
    assert sorted(outcome.ticket_id for outcome in Ledger.open(batch.settings).outcomes()) == ["A", "B"]


@pytest.mark.engine
@pytest.mark.prefect
def test_with_the_defaults_a_run_and_the_server_that_it_starts_talk_to_this_machine_only(batch):
    assert any(line.startswith("local") and "flows.cli" in line for line in batch.watched)
    assert any(line.startswith("watched") and "prefect.server" in line for line in batch.watched)
    assert [line for line in batch.watched if line.startswith("OUT")] == []


@pytest.mark.engine
@pytest.mark.prefect
def test_the_next_run_in_the_same_process_tells_its_own_server_all_of_it(alone, tmp_path):
    class Killing(Unwatched):
        def began(self, stage: str) -> None:
            if stage == "verify":
                kill_server(alone)

    request = VerifyRequest(ticket=doubling(tmp_path / "ticket", "TCK-1"), settings=alone, approval="in_advance")
    (first,) = run_tickets([request], alone, observer=Killing())
    (second,) = run_tickets([request], alone)
    assert {first.status, second.status} <= {"PASS", "PASS_WEAK"}
    assert len(list(Ledger.open(alone).outcomes())) == 2
    with on_running_server(alone):
        names, messages = _told()
    assert "TCK-1 · outcome" in names
    assert any(message.startswith("verify: passed") for message in messages)


def _told() -> tuple[list[str], list[str]]:
    """Names of task runs and messages of the log that the server has, once it has both."""
    from prefect.client.orchestration import get_client

    def both() -> tuple[list[str], list[str]] | None:
        names = [run.name for run in client.read_task_runs()]
        messages = [line.message for line in client.read_logs()]
        return (names, messages) if "TCK-1 · outcome" in names and messages else None

    with get_client(sync_client=True) as client:
        return wait_for(both)
