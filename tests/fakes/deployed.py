"""The system as a team runs it: deployments applied to a real server, and a worker that runs them."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from flows.orchestrator.session import prefect_session
from refute.settings import Settings
from tests.fakes.command_line import run_here
from tests.fakes.prefect_api import asked
from tests.fakes.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
WITHIN_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployed:
    """One server with everything that `deployments/apply.py` makes. Ledger and audit log are its own."""

    api_url: str
    home: Path
    webhook_url: str

    @property
    def environment(self) -> dict[str, str]:
        """Of the worker and of people who use the command line beside it."""
        return {
            **os.environ,
            "PREFECT_API_URL": self.api_url,
            "NO_PROXY": "127.0.0.1",
            "PREFECT_WORKER_QUERY_SECONDS": "1",  # its default of 10 would be waited for at each run
            "REFUTE_STATE_DIR": str(self.home / "state"),
            "REFUTE_COSTS_CSV": str(self.home / "costs.csv"),
            "GUARDRAIL_AUDIT_PATH": str(self.audit_path),
            "REFUTE_ALERT_WEBHOOK_URL": self.webhook_url,
        }

    @property
    def audit_path(self) -> Path:
        """The worker's audit log."""
        return self.home / "audit.jsonl"

    def apply(self) -> str:
        """Run `deployments/apply.py`; what it printed."""
        done = subprocess.run(
            [sys.executable, "deployments/apply.py"],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def refute(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command line beside the worker."""
        return run_here(arguments, environment=self.environment)

    @contextmanager
    def worker(self) -> Iterator[None]:
        """A process worker runs while the block does; its log is in `worker.log`."""
        with (self.home / "worker.log").open("wb") as log:
            command = [sys.executable, "-m", "prefect", "worker", "start", "--pool", "refute"]
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                # Tests that run in the background have Ctrl-C ignored, and so would the worker that it is to end.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # one C call
            )
            try:
                yield
            finally:
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(timeout=300)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def run(self, deployment: str, request: Mapping[str, Any], **environment: str) -> str:
        """Start a deployment as its form does; the id of its run.

        Args:
            deployment: `flow/deployment`.
            request: its form.
            environment: of the run's process, beside the worker's.
        """
        found = self.get(f"/deployments/name/{deployment}")
        parameters = {"request": dict(request)}
        body = {"state": {"type": "SCHEDULED"}, "parameters": parameters, "job_variables": {"env": environment}}
        return str(self.post(f"/deployments/{found['id']}/create_flow_run", body)["id"])

    def here(self, flow: Callable[..., Any], request: Any, **environment: str) -> Any:
        """The state of a run in this process: a worker's takes 20 s of a core."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {**self.environment, **environment}.items():
                patch.setenv(name, value)
            with prefect_session(Settings.load()):
                return flow(request(), return_state=True)

    def ended(self, run_id: str) -> dict[str, Any]:
        """The run, once it has."""

        def final() -> dict[str, Any] | None:
            run = dict(self.get(f"/flow_runs/{run_id}"))
            return run if run["state_type"] in {"COMPLETED", "FAILED", "CANCELLED", "CRASHED"} else None

        return dict(wait_for(final))

    def get(self, path: str) -> Any:
        """Ask the API."""
        return asked(self.api_url, "GET", path)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Ask, or tell, the API."""
        return asked(self.api_url, "POST", path, body)
