"""All of refute on one machine, for `refute ui`: a Prefect server with its schedules, the deployments, and a worker.

The process that runs this owns them: they end with it, also when it is killed. The server has the same history as the
small one that ad-hoc runs share (ADR 22), takes its place, and is used by ad-hoc runs as long as it is there.
"""

import contextlib
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final, Self

from flows.orchestrator.keeper import (
    PREFERRED_PORT,
    announce,
    end_server,
    listen,
    server_environment,
    start_server,
    stop_process,
)
from flows.orchestrator.killed_runs import Caretaker
from flows.orchestrator.processes import end_runs, start_process
from flows.orchestrator.server import START_TIMEOUT_S, LocalServer, ServerFiles, answers, checkout, ensure_home
from refute.errors import OrchestratorUnavailable
from refute.guardrails.plain_text import tail
from refute.settings import Settings

POOL: Final = "refute"
APPLY_TIMEOUT_S: Final = 300
WORKER_POLL_S: Final = "2"
"""How often the worker asks for runs; Prefect's own default is 10 s, long for somebody who has just pressed Run."""
HANDOVER_S: Final = 30.0
POLL_S: Final = 0.2

Say = Callable[[str], None]


class Machine:
    """Server and worker of this process.

    Args:
        settings: whose state directory is served.
        port: of the server on the loopback interface.
        say: is told what goes on.
    """

    def __init__(self, settings: Settings, *, port: int = PREFERRED_PORT, say: Say) -> None:
        self._settings = settings
        self._files = ServerFiles.of(settings)
        ensure_home(self._files.home)
        self._port = port
        self._say = say
        self._server: subprocess.Popen[bytes] | None = None
        self._worker: subprocess.Popen[bytes] | None = None

    @property
    def api_url(self) -> str:
        """The API's address."""
        return f"http://127.0.0.1:{self._port}/api"

    @property
    def worker_log(self) -> Path:
        """What the worker prints."""
        return self._files.home / "worker.log"

    def __enter__(self) -> Self:
        """Nothing runs yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what was started; runs of the worker first, since they tell the server how they ended."""
        if self._worker is not None:
            self._say("stopping the worker and its runs …")
            end_runs(self._worker.pid)
            stop_process(self._worker)
        if self._server is not None:
            self._say("stopping the server …")
            end_server(self._files, self._server)

    def bring_up(self) -> LocalServer | None:
        """Start all of it.

        Returns:
            The server of another `refute ui` of this state directory, where there is one; then nothing was started.

        Raises:
            OrchestratorUnavailable: the port is taken, or something did not start.
        """
        with self._nobody_else() as first, (self._files.home / "start.lock").open("a") as starting:
            if first is not None:
                return first
            fcntl.flock(starting, fcntl.LOCK_EX)
            self._relieve_keeper()
            self._start_server()
        self._apply()
        self._start_worker()
        return None

    def watch(self) -> None:
        """Until something ends by itself; can be interrupted.

        Raises:
            OrchestratorUnavailable: the server or the worker ended.
        """
        caretaker = Caretaker(self.api_url)
        while True:
            caretaker.look()
            for name, process, log in (
                ("server", self._server, self._files.log),
                ("worker", self._worker, self.worker_log),
            ):
                if process is not None and process.poll() is not None:
                    raise _ended(name, log)
            time.sleep(POLL_S)

    @contextlib.contextmanager
    def _nobody_else(self) -> Iterator[LocalServer | None]:
        """While no ad-hoc run uses the small server, and those that begin now wait for ours.

        Yields:
            The server of another `refute ui`, where there is one.
        """
        with self._files.lease.open("a") as lease:
            told = False
            while (other := self._other()) is None and not _locked(lease):
                if not told:
                    self._say("waiting: a run uses this machine's small server, or another `refute ui` is starting …")
                told = True
                time.sleep(POLL_S)
            yield other or self._other()  # it may have started just before the lock was ours

    def _other(self) -> LocalServer | None:
        server = self._files.server()
        return None if server is None or server.ad_hoc else server

    def _relieve_keeper(self) -> None:
        server = self._files.server()
        if server is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(server.keeper_pid, signal.SIGTERM)
        deadline = time.monotonic() + HANDOVER_S
        while answers(server.api_url) and time.monotonic() < deadline:
            time.sleep(POLL_S)

    def _start_server(self) -> None:
        try:
            listener = listen(self._port)
        except OSError as error:
            raise OrchestratorUnavailable(
                f"port {self._port} of 127.0.0.1: {error.strerror}",
                hint="Another program listens there, or it is not allowed to you. Take another: refute ui --port N",
            ) from error
        self._say("starting the Prefect server …")
        self._server = start_server(self._files, listener, ad_hoc=False)
        if not announce(self._files, self._server, self._port, ad_hoc=False):
            raise _ended("server", self._files.log)

    def _apply(self) -> None:
        """Put the deployments of prefect.yaml on the server."""
        self._say("applying the deployments …")
        command = [sys.executable, "deployments/apply.py"]
        try:
            done = subprocess.run(  # noqa: S603  # our own program, no shell
                command,
                env=self._client_environment(),
                cwd=checkout(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=APPLY_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise OrchestratorUnavailable(
                f"the deployments were not applied within {APPLY_TIMEOUT_S} s",
                hint="The machine, or the server, is very busy: run `refute ui` again when it is less so.",
            ) from error
        if done.returncode != 0:
            last = tail(done.stdout.decode(errors="replace"), max_lines=8)
            raise OrchestratorUnavailable(
                f"the deployments could not be applied, exit code {done.returncode}:\n{last}",
                hint="Correct prefect.yaml.",
            )

    def _start_worker(self) -> None:
        self._say("starting a worker …")
        # However many questions wait, there is room for what runs unattended.
        limit = str(self._settings.attended_runs + len(os.sched_getaffinity(0)) + 1)
        command = ["prefect", "worker", "start", "--pool", POOL, "--name", socket.gethostname(), "--limit", limit]
        self._worker = start_process(command, self._client_environment(), self.worker_log)

    def _client_environment(self) -> dict[str, str]:
        return server_environment(self._files, self._port, ad_hoc=False) | {
            "PREFECT_API_URL": self.api_url,
            "PREFECT_WORKER_QUERY_SECONDS": WORKER_POLL_S,
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
            # Its runs write to the same ledger as this machine's ad-hoc ones.
            "REFUTE_STATE_DIR": str(self._settings.state_dir.absolute()),
        }


def _locked(lease: IO[str]) -> bool:
    try:
        fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _ended(name: str, log: Path) -> OrchestratorUnavailable:
    last = tail(log.read_text(errors="replace"), max_lines=8)
    return OrchestratorUnavailable(
        f"the {name} ended, or did not start within {START_TIMEOUT_S} s; its log ends with:\n{last}",
        hint=f"Read {log}, then run `refute ui` again.",
    )
