"""Two servers that start at once, of two state directories, do not get one port."""

import socket
from pathlib import Path

import pytest

from flows.orchestrator.machine import Machine
from flows.orchestrator.port import claimed, claimed_port
from refute.errors import OrchestratorUnavailable
from refute.settings import Settings


def unused_port() -> int:
    with claimed_port(0) as port:
        return port


def test_the_preferred_port_is_taken_where_it_is_free_and_again_once_it_is_given_back() -> None:
    port = unused_port()
    for _ in range(2):
        with claimed_port(port) as first:
            assert first == port


def test_a_port_that_another_refute_is_about_to_listen_on_is_not_taken() -> None:
    with claimed_port(unused_port()) as first, claimed_port(first) as second:
        assert second != first


def test_a_port_that_a_program_listens_on_is_not_taken() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with claimed_port(taken) as port:
            assert port != taken


def test_where_every_port_is_claimed_it_says_so() -> None:
    with pytest.MonkeyPatch.context() as patch, claimed_port(0) as port:
        patch.setattr("flows.orchestrator.port._free", lambda _: port)
        with pytest.raises(OSError, match="no free port"), claimed_port(port):
            pass


def test_refute_ui_does_not_start_beside_a_server_that_is_about_to_listen(tmp_path: Path) -> None:
    port = unused_port()
    with (
        claimed(port),
        pytest.raises(OrchestratorUnavailable, match=f"port {port}") as told,
        Machine(Settings(state_dir=tmp_path), port=port, say=lambda _: None) as machine,
    ):
        machine.bring_up()
    assert "refute ui --port" in told.value.hint
