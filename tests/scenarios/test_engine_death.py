"""S150: the engine dies under a run. A second engine, on a socket of its own, is started here and killed."""

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docker
import pytest

from refute.outcome import Status
from refute.sandbox.image import build_image

pytestmark = [pytest.mark.engine, pytest.mark.prefect]

STARTED_WITHIN_S = 300
AWAITED_S = 3.0
"""How long the removal of its container waits here for the engine to come back; 20 s in production."""


@dataclass
class SecondEngine:
    """A Docker engine that shares nothing with the one that was already there."""

    directory: Path
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def host(self) -> str:
        return f"unix://{self.directory}/docker.sock"

    def start(self) -> None:
        """Start it and wait until it answers."""
        # Left by a killed one; the next would wait for its containerd to answer.
        for name in ("pidfile", "exec-root/containerd/containerd.pid", "exec-root/containerd/containerd.sock"):
            (self.directory / name).unlink(missing_ok=True)
        places = [f"--{name}={self.directory / name}" for name in ("data-root", "exec-root", "pidfile")]
        command = ["dockerd", "--iptables=false", "--ip6tables=false", "--bridge=none", *places, "-H", self.host]
        with (self.directory / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + STARTED_WITHIN_S
        while not self._answers():
            assert self.process.poll() is None, (self.directory / "log").read_text()[-2_000:]
            assert time.monotonic() < deadline, "the second engine did not start"
            time.sleep(0.1)

    def kill(self) -> None:
        """Let it die without a word."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """End it with all that runs on it; one that was killed is started again for that."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        client = docker.DockerClient(self.host)
        for container in client.containers.list(all=True):
            container.remove(force=True, v=True)
        client.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=STARTED_WITHIN_S)
        # An engine binds its data to itself; a killed one leaves that behind.
        while subprocess.run(["umount", self.directory / "data-root"], capture_output=True).returncode == 0:
            pass

    def kill_when_it_runs(self, stage: str, *, then_start: bool = False) -> threading.Thread:
        """In the background: die as soon as a container of this stage runs."""

        def watch() -> None:
            client = docker.DockerClient(self.host)
            while not client.containers.list(ignore_removed=True, filters={"label": f"refute.stage={stage}"}):
                time.sleep(0.05)
            client.close()
            self.kill()
            if then_start:
                self.start()

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        return thread

    def _answers(self) -> bool:
        try:
            client = docker.DockerClient(self.host, version="auto")
            client.close()
        except (docker.errors.DockerException, OSError):
            return False
        return True


@pytest.fixture(scope="module")
def engine_with_image(tmp_path_factory) -> Iterator[SecondEngine]:
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        pytest.fail("a second engine needs root and dockerd; on Debian/Ubuntu: sudo scripts/ensure-engine.sh")
    # Outside pytest's directories: the path of a unix socket is short, and pytest could not delete the mounts.
    directory = Path(f"/var/tmp/refute-engine-{os.getpid()}")
    directory.mkdir(mode=0o700)
    engine = SecondEngine(directory)
    try:
        engine.start()
        build_image(docker.DockerClient(engine.host), python="3.11", progress=print)
        yield engine
    finally:
        engine.stop()
        shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def engine(engine_with_image, monkeypatch) -> SecondEngine:
    """The second engine, running, as the one that refute talks to."""
    if engine_with_image.process.poll() is not None:
        engine_with_image.start()
    monkeypatch.setenv("DOCKER_HOST", engine_with_image.host)
    return engine_with_image


def test_s150_an_engine_that_dies_is_an_error_with_instructions_and_never_a_verdict(
    ticket, verify, engine, monkeypatch
):
    monkeypatch.setattr("refute.sandbox.removal.RETURN_S", AWAITED_S)
    dying = engine.kill_when_it_runs("attack")
    outcome = verify(ticket(script="true\n"))
    dying.join(timeout=STARTED_WITHIN_S)
    assert outcome.status is Status.ERROR
    # Which of the two depends on whether the job or what was prepared for it was running.
    assert re.search("engine stopped answering|no container engine answers", outcome.reason)
    assert "Start Docker" in outcome.reason
    assert outcome.claims == ()


def test_s150_an_engine_that_comes_back_gets_the_stage_once_more(ticket, verify, engine):
    dying = engine.kill_when_it_runs("verify", then_start=True)
    outcome = verify(ticket(script="sleep 2\npython -c 'import slug'\n"))
    dying.join(timeout=STARTED_WITHIN_S)
    assert outcome.status is Status.PASS_WEAK, outcome.reason


def test_s150_a_python_whose_image_is_not_built_is_an_error_that_says_how(ticket, verify, monkeypatch):
    monkeypatch.setattr("refute.ports.find_image", lambda *_args, **_options: None)
    outcome = verify(ticket(more={"python": "3.13"}))
    assert outcome.status is Status.ERROR
    assert "refute image build --python 3.13" in outcome.reason
