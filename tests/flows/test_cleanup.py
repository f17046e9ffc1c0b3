"""What is removed from the engine when Prefect finds that a run was killed or cancelled."""

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from prefect.states import Crashed

from flows.batch.request import ChunkRequest
from flows.cleanup import BATCH_NAME, remove_containers
from flows.verify_batch import verify_batch
from flows.verify_chunk import verify_chunk
from flows.verify_ticket import verify_ticket
from refute.errors import EngineUnavailable

RUN = UUID(int=7)
CHUNK = {"request": ChunkRequest(batch_id="b", tickets=("A", "B")).model_dump(mode="json", exclude={"settings"})}


@pytest.mark.parametrize(
    ("flow", "name", "parameters", "removed"),
    [
        (verify_ticket, "verify T-1", {}, (str(RUN), None)),
        (verify_batch, BATCH_NAME.format("nightly-1"), {}, ("nightly-1", None)),
        (verify_chunk, "b · chunk 1", CHUNK, ("b", ["A", "B"])),
    ],
)
def test_a_run_s_own_containers_go(monkeypatch, flow: Any, name: str, parameters: Any, removed: Any):
    asked: list[Any] = []
    monkeypatch.setattr("flows.cleanup.remove_leftovers", lambda run_id, *, tickets: asked.append((run_id, tickets)))
    run = SimpleNamespace(id=RUN, name=name, parameters=parameters)
    for hook in (*flow.on_crashed_hooks, *flow.on_cancellation_hooks):
        hook(flow, run, Crashed())
    assert asked == [removed, removed]


def test_an_engine_that_is_gone_too_is_no_second_failure(monkeypatch):
    def gone(*_: object, **__: object) -> int:
        raise EngineUnavailable("no container engine answers")

    monkeypatch.setattr("flows.cleanup.remove_leftovers", gone)
    remove_containers(verify_ticket, SimpleNamespace(id=RUN, name=""), Crashed())
