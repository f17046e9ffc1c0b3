"""A run whose process was killed: the server shows it as crashed, and so its stages; nobody has to look."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from urllib.error import HTTPError

import pytest

from flows.orchestrator.api import over_http, upsert_automation
from flows.orchestrator.killed_runs import automation
from flows.orchestrator.server import server_lease
from refute.settings import Settings
from tests.fakes.prefect_api import asked
from tests.fakes.waiting import wait_for
from tests.scenarios.conftest import REPOSITORY

pytestmark = [pytest.mark.prefect, pytest.mark.slow]

HANGS = """
import contextlib, sys, time
from pathlib import Path

from flows.orchestrator.session import on_running_server
from refute.settings import Settings

with on_running_server(Settings.load(state_dir=Path(sys.argv[1]))):
    from prefect import task

    from flows import gate, refute_flow
    from flows.request import VerifyRequest

    @task
    def stage(*_):
        time.sleep(3600)

    gate.load_ticket = stage
    if sys.argv[2] != "beats":
        refute_flow.heartbeats = contextlib.nullcontext
    gate.gate(VerifyRequest(ticket=Path("killed-by-a-test")))
"""
RUN = "gate killed-by-a-test"
"""The server has runs of other tests, too: those are left alone."""


@contextlib.contextmanager
def killed(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process, killed at the end."""
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(REPOSITORY)})
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_killed_run_and_its_stages_become_crashed(settings: Settings) -> None:
    with server_lease(settings, say=print) as api_url:
        ask = partial(asked, api_url)
        quick = {**automation(within_s=10), "name": "killed by a test"}
        quick["trigger"]["match"]["prefect.resource.name"] = RUN
        upsert_automation(over_http(api_url), quick)

        def started(how: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-c", HANGS, str(settings.state_dir), how]
            return stack.enter_context(killed(command))

        def states(of: str) -> list[str]:
            found = ask("POST", f"/{of}/filter", {"flow_runs": {"name": {"any_": [RUN]}}})
            return sorted(one["state_type"] for one in found)

        with contextlib.ExitStack() as stack:
            beating = started("beats")
            wait_for(lambda: states("task_runs") == ["RUNNING"] or beating.poll() is not None)
            assert states("flow_runs") == ["RUNNING"]
            silent = started("killed before its first sign of life")
            wait_for(lambda: len(states("task_runs")) == 2 or silent.poll() is not None)
        wait_for(lambda: states("flow_runs") == ["CRASHED"] * 2)
        wait_for(lambda: states("task_runs") == ["CRASHED"] * 2)  # by the server's keeper
        by_name = {"automations": {"name": {"any_": [automation()["name"], quick["name"]]}}}
        made = {one["name"]: one["id"] for one in ask("POST", "/automations/filter", by_name)}
        assert len(made) == 2

        def removed() -> bool:
            """Prefect answers 503 while its SQLite is being written: then it is asked again."""
            try:
                over_http(api_url)("DELETE", f"/automations/{made[quick['name']]}", None)
            except HTTPError as error:
                return error.code == HTTPStatus.NOT_FOUND  # an earlier try removed it
            return True

        wait_for(removed)
