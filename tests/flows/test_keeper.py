"""The keeper of the local server, with a small server in Prefect's place; with Prefect's own: test_server.py."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.orchestrator import keeper
from flows.orchestrator.server import LocalServer, ServerFiles, answers
from refute.settings import Settings

HEALTHY = """
import socket, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Healthy(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", 0), Healthy, bind_and_activate=False)
server.socket = socket.socket(fileno=int(sys.argv[1]))
server.serve_forever()
"""


@pytest.fixture
def files(tmp_path: Path) -> ServerFiles:
    return ServerFiles.of(Settings(state_dir=tmp_path))


@pytest.fixture
def start_lock(files: ServerFiles) -> Iterator[int]:
    """The descriptor of the start lock, held, as the keeper gets it."""
    lock = os.open(files.home / "start.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    before = signal.getsignal(signal.SIGTERM)
    yield lock
    signal.signal(signal.SIGTERM, before)


def serves(monkeypatch: pytest.MonkeyPatch, code: str) -> list["subprocess.Popen[bytes]"]:
    """Let keepers start this program as their server; those that they started."""
    started: list[subprocess.Popen[bytes]] = []

    def start(_: ServerFiles, listener: socket.socket, *, ad_hoc: bool) -> "subprocess.Popen[bytes]":
        assert ad_hoc
        with listener:
            command = [sys.executable, "-S", "-c", code, str(listener.fileno())]
            started.append(subprocess.Popen(command, pass_fds=(listener.fileno(),)))
        return started[-1]

    monkeypatch.setattr(keeper, "start_server", start)
    return started


def is_locked(files: ServerFiles) -> bool:
    with (files.home / "start.lock").open("a") as other:
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_a_server_is_recorded_once_it_answers_kept_while_it_is_used_and_ended_when_idle(files, start_lock, monkeypatch):
    started = serves(monkeypatch, HEALTHY)
    seen: list[LocalServer | None] = []
    locked: list[bool] = []
    lease = files.lease.open("a")
    fcntl.flock(lease, fcntl.LOCK_SH)
    idle = keeper._idle

    def look_and_leave(*arguments: object) -> bool:
        seen.append(files.server())
        locked.append(is_locked(files))
        kept = idle(files, 0.0)
        lease.close()
        return kept

    monkeypatch.setattr(keeper, "_idle", look_and_leave)
    assert keeper.main(str(files.home), "0.1", str(start_lock)) == 0
    first, *_ = seen
    assert (first.pid, first.keeper_pid) == (started[0].pid, os.getpid())
    assert len(seen) == 2, "it was in use at the first look"
    assert locked == [False, False], "a run that comes now need not wait for the start"
    assert started[0].poll() is not None
    assert not answers(first.api_url)
    assert not files.record.exists()


def test_a_server_that_ends_before_it_answers_leaves_no_record(files, start_lock, monkeypatch):
    serves(monkeypatch, "raise SystemExit(3)")
    assert keeper.main(str(files.home), "1", str(start_lock)) == 1
    assert not files.record.exists()
    os.close(start_lock)


def test_a_keeper_that_is_told_to_end_takes_its_server_along(files, start_lock, monkeypatch):
    started = serves(monkeypatch, HEALTHY)
    monkeypatch.setattr(keeper, "_idle", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    assert threading.current_thread() is threading.main_thread()
    with pytest.raises(SystemExit):
        keeper.main(str(files.home), "0.1", str(start_lock))
    assert started[0].poll() is not None
    assert not files.record.exists()
