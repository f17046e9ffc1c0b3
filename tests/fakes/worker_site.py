"""A platform team's installation in small: Prefect's server and the ledger on PostgreSQL, and workers as processes."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import httpx
from pydantic import SecretStr
from sqlalchemy import create_engine, make_url, text

from refute.settings import Settings
from tests.fakes.prefect_api import asked

ROOT: Final = Path(__file__).resolve().parents[2]
WITHIN_S: Final = 900
AUTH: Final = "refute:of-this-test-only"


def free_port() -> int:
    """A port on the loopback interface that nobody has, and that no connection gets before a server listens on it.

    The kernel gives those of `/proc/sys/net/ipv4/ip_local_port_range`, 32768 and above unless somebody changed it.
    """
    while True:
        port = random.randrange(20_000, 32_000)  # noqa: S311  # no secret
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


class WorkerSite:
    """Starts with its context, and leaves no process behind.

    Args:
        folder: for logs and what the processes keep.
        settings: of the workers; `ledger_url` is a database on PostgreSQL.
        database: URL of another one, for Prefect.
        environment: what the workers get besides.
    """

    def __init__(
        self, folder: Path, settings: Settings, database: SecretStr, environment: Mapping[str, str] | None = None
    ) -> None:
        self._folder = folder
        self._port = free_port()
        self._database = make_url(database.get_secret_value()).set(drivername="postgresql+asyncpg")
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
        self._environment = {
            **clean,
            "NO_PROXY": "127.0.0.1",
            "PYTHONPATH": str(ROOT),
            "PREFECT_HOME": str(folder / "prefect"),
            "PREFECT_API_URL": f"http://127.0.0.1:{self._port}/api",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
            "PREFECT_LOGGING_SERVER_LEVEL": "WARNING",
            "PREFECT_WORKER_QUERY_SECONDS": "1",
            "PREFECT_SERVER_API_AUTH_STRING": AUTH,
            "PREFECT_API_AUTH_STRING": AUTH,
            "REFUTE_STATE_DIR": str(settings.state_dir),
            "REFUTE_COSTS_CSV": str(settings.costs_csv),
            "GUARDRAIL_AUDIT_PATH": str(settings.audit_path),
            "REFUTE_LEDGER_URL": settings.ledger_url.get_secret_value(),
            **(environment or {}),
        }

    def __enter__(self) -> Self:
        """Server and deployments."""
        with create_engine(self._database.set(drivername="postgresql+psycopg")).begin() as connection:
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS pg_trgm"))
        url = self._database.render_as_string(hide_password=False)
        command = ["prefect", "server", "start", "--host", "127.0.0.1", "--port", str(self._port)]
        self._start("server", command, PREFECT_API_DATABASE_CONNECTION_URL=url)
        self.wait(self._healthy)
        done = subprocess.run(
            [sys.executable, "deployments/apply.py"], cwd=ROOT, env=self._environment, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End everything."""
        for name in list(self._processes):
            self.kill(name)

    def start_worker(self, name: str) -> None:
        """A worker for two runs at once."""
        self._start(name, ["prefect", "worker", "start", "--pool", "refute", "--name", name, "--limit", "2"])

    def runs_on(self, name: str) -> int:
        """How many processes a worker has started that still run."""
        return len(children_of(self._processes[name].pid))

    def kill(self, name: str) -> None:
        """SIGKILL for a process and all that it started."""
        process = self._processes.pop(name)
        for pid in [process.pid, *children_of(process.pid)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        process.wait()

    def verify_batch(self, request: Mapping[str, object]) -> str:
        """Run the deployment `batch` with this form; the flow run's id."""
        found = self.asked("GET", "/deployments/name/verify-batch/batch")
        made = self.asked("POST", f"/deployments/{found['id']}/create_flow_run", {"parameters": {"request": request}})
        return str(made["id"])

    def state_of(self, run_id: str) -> str:
        """The name of a flow run's state."""
        return str(self.asked("GET", f"/flow_runs/{run_id}")["state_name"])

    def chunks(self, batch_id: str) -> dict[str, str]:
        """Id of each flow run of a batch's chunks → name of its state."""
        body = {"flow_runs": {"name": {"like_": f"{batch_id} · chunk"}}}
        return {run["id"]: run["state_name"] for run in self.asked("POST", "/flow_runs/filter", body)}

    def asked(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        """What the server's API answers."""
        user, _, password = AUTH.partition(":")
        return asked(self._environment["PREFECT_API_URL"], method, path, body, (user, password))

    def wait(self, condition: Callable[[], object], *, within_s: float = WITHIN_S) -> None:
        """Until the condition holds; fails with the logs' ends where it never does, or a process ended."""
        deadline = time.monotonic() + within_s
        while not condition():
            ended = [name for name, process in self._processes.items() if process.poll() is not None]
            assert not ended, f"{ended} ended\n{self.logs()}"
            assert time.monotonic() < deadline, f"it did not come to that\n{self.logs()}"
            time.sleep(0.25)

    def logs(self) -> str:
        """The last lines of every process."""
        return "\n".join(f"--- {log.name}\n{log.read_text()[-1500:]}" for log in sorted(self._folder.glob("*.log")))

    def _healthy(self) -> bool:
        try:
            return httpx.get(f"{self._environment['PREFECT_API_URL']}/health", timeout=5, trust_env=False).is_success
        except httpx.HTTPError:
            return False

    def _start(self, name: str, command: list[str], **environment: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=ROOT,
                env={**self._environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )


def children_of(pid: int) -> list[int]:
    """The processes below a process, at any depth."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            child = int(stat.parent.name)
            found += [child, *children_of(child)]
    return found
