"""Cached results on a real Prefect server: what is kept, what is taken from the cache, what never counts."""

import base64
import json
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prefect import flow, task
from pydantic import TypeAdapter

from flows.orchestrator.server import server_lease
from refute.caching.kind import Kind
from refute.errors import ContainerLost, EngineDied, TicketInvalid
from refute.observer import Unwatched
from refute.settings import Settings
from refute.stages.execution import Ran
from tasks.results import results_kept_in
from tasks.stages import STAGES, StageTasks
from tests.fakes.prefect_api import asked
from tests.fakes.waiting import wait_for

pytestmark = pytest.mark.prefect

RECORD: Kind[dict[str, int]] = Kind(
    name="attack", json=TypeAdapter(dict[str, int]), unfit=lambda one: "" if one["fit"] else "a limit was reached"
)


class Warned(Unwatched):
    """Remembers warnings."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def warned(self, message: str) -> None:
        self.messages.append(message)


@pytest.fixture
def api_url(state_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    from prefect.settings import PREFECT_API_URL, temporary_settings

    for stage in STAGES.values():
        monkeypatch.setattr(stage, "retry_delay_seconds", [0.01] * stage.retries)
    with (
        server_lease(Settings.load(state_dir=state_dir, server_idle_s=120), say=print) as url,
        temporary_settings({PREFECT_API_URL: url}),
    ):
        yield url


class Runs:
    """Runs stages of one ticket, each time in a new flow run.

    Args:
        settings: name where results are kept.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.warned = Warned()
        self.done = 0
        self.run_id = ""

    def __call__(self, work: Callable[[], dict[str, int]], *, key: str | None = "k", fresh: bool = False) -> Any:
        from prefect.runtime import flow_run

        @flow(persist_result=False)
        def verifying() -> Ran[dict[str, int]]:
            self.run_id = str(flow_run.id)
            stages = StageTasks("T-1", "r", self.settings.model_copy(update={"fresh": fresh}), self.warned)
            with results_kept_in(stages.storage):
                return stages.cached(RECORD, key, work)

        return verifying()

    def fit(self) -> dict[str, int]:
        self.done += 1
        return {"fit": 1, "number": self.done}

    def unfit(self) -> dict[str, int]:
        self.done += 1
        return {"fit": 0}

    def files(self) -> list[Path]:
        return sorted(self.settings.results_path.glob("*"))


@pytest.fixture
def runs(api_url: str, tmp_path: Path) -> Runs:
    assert api_url
    return Runs(Settings(state_dir=tmp_path / "state"))


def task_run(api_url: str, runs: Runs) -> dict[str, Any]:
    """The only task run of the last flow run, as the server tells of it, which learns of it late."""
    body = {"task_runs": {"flow_run_id": {"any_": [runs.run_id]}, "state": {"type": {"any_": ["COMPLETED", "FAILED"]}}}}
    (one,) = wait_for(lambda: asked(api_url, "POST", "/task_runs/filter", body))
    return dict(one)


def test_a_result_stands_for_the_next_run_which_is_cached_and_says_whose_it_is(runs, api_url):
    assert runs(runs.fit).kept is None
    again = runs(runs.fit)
    assert (again.record, again.kept.run_id, runs.done) == ({"fit": 1, "number": 1}, "r", 1)
    shown = task_run(api_url, runs)
    assert (shown["name"], shown["state_name"]) == ("T-1 · attack", "Cached")
    assert runs(runs.fit, fresh=True).record["number"] == 2
    assert runs(runs.fit).record["number"] == 2, "a fresh result replaces the older one"


def test_a_result_that_is_unfit_or_has_no_key_is_not_written(runs):
    runs(runs.unfit)
    runs(runs.unfit)
    runs(runs.fit, key=None)
    runs(runs.fit, key=None)
    assert (runs.done, runs.files()) == (4, [])


def test_an_engine_that_comes_back_is_asked_again_and_other_errors_are_not(runs, api_url):
    tries: list[int] = []

    def failing(error: Exception, times: int) -> dict[str, int]:
        tries.append(1)
        if len(tries) <= times:
            raise error
        return runs.fit()

    assert runs(lambda: failing(EngineDied("gone"), 2)).record["number"] == 1
    assert (task_run(api_url, runs)["run_count"], len(tries)) == (3, 3)
    for error, most in ((ContainerLost("taken"), 3), (TicketInvalid("t.yaml", []), 1)):
        tries.clear()
        with pytest.raises(type(error)):
            runs(lambda error=error: failing(error, 9), key="other")
        assert len(tries) == most
    assert len(runs.files()) == 1, "nothing is kept of a failure"


def test_what_has_ended_is_kept_although_the_ticket_s_own_task_never_ends(runs):
    @task(persist_result=False)
    def ticket() -> None:
        stages = StageTasks("T-1", "r", runs.settings, runs.warned)
        with results_kept_in(stages.storage):
            stages.cached(RECORD, "k", runs.fit)
            assert len(runs.files()) == 1, "a SIGKILL now would lose it"
            raise ValueError("as if killed")

    @flow
    def batch() -> None:
        ticket()

    with pytest.raises(ValueError, match="as if killed"):
        batch()
    assert runs(runs.fit).kept is not None


class Hostile:
    """Tells where it was unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return (Path.write_text, (self.mark, "executed"))


@pytest.mark.parametrize("keeps_signature", [True, False])
def test_an_edited_result_file_is_not_taken_executes_nothing_and_is_reported(runs, tmp_path, keeps_signature):
    runs(runs.fit)
    (file,) = runs.files()
    signature, _, content = file.read_bytes().partition(b"\n")
    document = json.loads(content)
    assert document["metadata"]["serializer"]["type"] == "json"
    mark = tmp_path / "mark"
    document["metadata"]["serializer"] = {"type": "pickle"}
    document["result"] = base64.encodebytes(pickle.dumps(Hostile(mark))).decode()
    edited = json.dumps(document).encode()
    file.write_bytes(signature + b"\n" + edited if keeps_signature else edited)
    assert runs(runs.fit).record["number"] == 2
    assert not mark.exists()
    assert re.search(r"a cached result was not used, .*: (changed|not signed)", " ".join(runs.warned.messages))
    assert runs(runs.fit).kept is not None, "the new result has taken its place"
