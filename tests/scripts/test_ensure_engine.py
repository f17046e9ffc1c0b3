"""The engine script with programs of our own first on the path: nothing is installed or started here."""

import os
import select
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def ensure(tmp_path: Path) -> Run:
    def run(programs: Mapping[str, str], **environment: str) -> subprocess.CompletedProcess[str]:
        for name, body in programs.items():
            program = tmp_path / name
            program.write_text(f"#!/bin/sh\n{body}\n")
            program.chmod(0o755)
        clean = {key: value for key, value in os.environ.items() if key != "DOCKER_HOST"}
        clean["PATH"] = f"{tmp_path}:{os.environ['PATH']}"
        return subprocess.run(
            [REPOSITORY / "scripts" / "ensure-engine.sh"],
            env={**clean, **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


FORBIDDEN = dict.fromkeys(("apt-get", "dockerd", "systemctl", "setsid"), 'echo "called: $0 $*" >&2; exit 99')
ANSWERS = 'case "$1" in info|version) echo 27.5.1;; *) exit 99;; esac'
SILENT = "exit 1"


def test_an_engine_that_answers_is_used_and_nothing_else_is_touched(ensure: Run) -> None:
    done = ensure({**FORBIDDEN, "docker": ANSWERS})
    assert (done.returncode, done.stderr) == (0, "engine: 27.5.1 answers\n")


def test_a_docker_host_that_does_not_answer_is_not_replaced_by_another_engine(ensure: Run) -> None:
    done = ensure({**FORBIDDEN, "docker": SILENT}, DOCKER_HOST="unix:///nowhere.sock")
    assert done.returncode == 1
    assert "DOCKER_HOST=unix:///nowhere.sock is set, and no engine answers there" in done.stderr
    assert "called" not in done.stderr


def test_a_daemon_keeps_no_descriptor_of_whoever_started_it(tmp_path: Path) -> None:
    """The pipe of ``make -j`` is one: make reads it to its end, and hung until the daemon ended."""
    reading, writing = os.pipe()
    script = ". scripts/keep-nothing.sh; (keep_nothing; exec sleep 60) </dev/null >/dev/null 2>&1 & echo $!"
    started = subprocess.run(
        ["bash", "-euc", script], cwd=REPOSITORY, pass_fds=[writing], capture_output=True, text=True, check=True
    )
    daemon = int(started.stdout)
    os.close(writing)
    try:
        assert select.select([reading], [], [], 20)[0], "somebody still holds the pipe"
        assert os.read(reading, 1) == b""
        os.kill(daemon, 0)
    finally:
        os.kill(daemon, signal.SIGKILL)
        os.close(reading)
