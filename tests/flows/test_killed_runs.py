"""Runs whose process was killed: what Prefect shows of them."""

import contextlib
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from uuid import uuid4

import pytest

from refute.owner import Owner
from refute.settings import Settings


@pytest.mark.prefect
def test_a_run_of_a_process_that_is_gone_crashed_and_one_that_lives_still_runs(state_dir, monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    from flows.batch.crashed import PROCESS_TAG, close_crashed_runs, process_tag
    from flows.run import _prefect

    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    gone = f"{PROCESS_TAG}{replace(Owner.here(), pid=ended.pid)}"
    settings = Settings.load(state_dir=state_dir, server_idle_s=120)
    with _prefect(settings), contextlib.ExitStack() as held:
        from prefect import flow
        from prefect.client.orchestration import get_client
        from prefect.states import Running

        client = held.enter_context(get_client(sync_client=True))
        known = flow(lambda: None, name=f"killed-{uuid4().hex[:8]}")
        runs = {tag: client.create_flow_run(known, tags=[tag], state=Running()).id for tag in (gone, process_tag())}
        assert close_crashed_runs(known.name, message="killed") == 1
        states = {tag: client.read_flow_run(run).state for tag, run in runs.items()}
    dead, alive = states.values()
    assert (dead.name, dead.message, alive.name) == ("Crashed", "killed", "Running")


@pytest.mark.parametrize("tags", [["process:of-the-command-line"], []])
def test_a_run_that_goes_on_with_the_latest_batch_is_called_by_that_one_s_name(monkeypatch, tags):
    from flows.batch import crashed

    told = {}

    class Client:
        def update_flow_run(self, _run, **changed):
            told.update(changed)

    monkeypatch.setattr(crashed, "get_client", lambda **_: contextlib.nullcontext(Client()))
    monkeypatch.setattr(crashed, "flow_run", SimpleNamespace(id=str(uuid4()), tags=tags))
    crashed.introduce("night")
    assert told["name"] == "batch night"
    assert "night" in told["tags"]
    assert sum(tag.startswith("process:") for tag in told["tags"]) == 1
