"""What `refute ui` says where it cannot begin."""

import fcntl
import os
import socket

import pytest

from flows.orchestrator import machine
from flows.orchestrator.machine import Machine
from flows.orchestrator.server import LocalServer, ServerFiles
from refute.errors import OrchestratorUnavailable
from refute.settings import Settings
from tests.fakes.web import answering


@pytest.fixture
def settings(tmp_path):
    return Settings(state_dir=tmp_path)


def bring_up(settings, port, *, say=lambda _: None):
    with Machine(settings, port=port, say=say) as owned:
        owned.bring_up()


@pytest.fixture
def taken_port():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_a_port_that_is_taken_is_named_with_what_to_do_and_the_place_is_free_again(settings, taken_port):
    for _ in range(2):
        with pytest.raises(OrchestratorUnavailable, match=rf"port {taken_port} .*Address already in use") as told:
            bring_up(settings, taken_port)
        assert "refute ui --port" in told.value.hint


def test_a_run_that_uses_the_small_server_is_waited_for(settings, taken_port):
    said = []
    lease = ServerFiles.of(settings).lease.open("a")
    fcntl.flock(lease, fcntl.LOCK_SH)

    def say(line: str) -> None:
        said.append(line)
        lease.close()  # the run ends once the person has been told

    with pytest.raises(OrchestratorUnavailable, match="port"):
        bring_up(settings, taken_port, say=say)
    (line,) = said
    assert line.startswith("waiting: a run uses this machine's small server")


def test_where_another_one_is_up_its_server_is_named_and_nothing_waited_for(settings):
    files = ServerFiles.of(settings)
    with answering() as api_url, files.lease.open("a") as lease:
        other = LocalServer(api_url=api_url, pid=os.getpid(), keeper_pid=os.getpid(), ad_hoc=False)
        files.write(other)
        fcntl.flock(lease, fcntl.LOCK_SH)  # a run uses it
        with Machine(settings, say=pytest.fail) as owned:
            assert owned.bring_up() == other
    assert files.record.exists()


def test_deployments_that_take_too_long_are_no_internal_error(settings, monkeypatch):
    monkeypatch.setattr(machine, "APPLY_TIMEOUT_S", 0.001)
    with pytest.raises(OrchestratorUnavailable, match="not applied within") as told:
        Machine(settings, say=lambda _: None)._apply()
    assert "run `refute ui` again" in told.value.hint
