"""What prefect.yaml asks of the flows is what they take, and the forms made from them can be filled in by a person."""

import importlib
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import yaml
from prefect.exceptions import ObjectNotFound
from pydantic import ValidationError

from flows.batch.dispatch import DEPLOYMENT
from flows.batch.request import BatchRequest
from flows.orchestrator.attended import QUEUE, ensure_attended_queue
from flows.orchestrator.killed_runs import BEAT_S

ROOT = Path(__file__).resolve().parents[3]
DEPLOYMENTS = {one["name"]: one for one in yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]}


def flow_of(deployment: dict[str, Any]) -> Any:
    path, _, name = deployment["entrypoint"].partition(":")
    return getattr(importlib.import_module(path.removesuffix(".py").replace("/", ".")), name)


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_deployment_s_parameters_are_valid_and_its_form_explains_all_fields_but_the_settings(
    name, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    flow = flow_of(DEPLOYMENTS[name])
    assert flow.validate_parameters(DEPLOYMENTS[name]["parameters"])["request"]
    schema = flow.parameters.model_dump()
    (request,) = [one for key, one in schema["definitions"].items() if key.endswith("Request")]
    assert "settings" not in request["properties"]
    assert all("description" in field for field in request["properties"].values())


@pytest.mark.parametrize("name", ["../../etc", "two words", "line\n", "", "n" * 65])
def test_a_batch_s_name_from_the_form_is_one_word_without_slashes(name):
    with pytest.raises(ValidationError, match="batch_id"):
        BatchRequest(batch_id=name)


def test_what_asks_a_person_has_a_queue_of_its_own_and_nothing_else_and_all_runs_give_signs_of_life():
    asking = {name for name, one in DEPLOYMENTS.items() if one["parameters"]["request"].get("approval") == "ask"}
    queued = {name for name, one in DEPLOYMENTS.items() if one["work_pool"].get("work_queue_name") == QUEUE}
    assert asking | {"assist"} == queued == {"ad-hoc", "batch", "assist"}
    for one in DEPLOYMENTS.values():  # as often as is waited for, whoever started the worker
        assert one["work_pool"]["job_variables"]["env"] == {"PREFECT_FLOWS_HEARTBEAT_FREQUENCY": f"{BEAT_S:.0f}"}


def test_chunks_are_dispatched_by_the_name_of_their_deployment():
    flow, _, name = DEPLOYMENT.partition("/")
    assert flow_of(DEPLOYMENTS[name]).name == flow


@dataclass
class FakeServer:
    """Knows work queues and nothing else."""

    limits: dict[str, int] = field(default_factory=dict)

    def read_work_queue_by_name(self, name: str, work_pool_name: str) -> SimpleNamespace:
        if name not in self.limits:
            raise ObjectNotFound(http_exc=httpx.HTTPError("404"))
        return SimpleNamespace(name=name, pool=work_pool_name)

    def create_work_queue(self, name: str, *, description: str, concurrency_limit: int, work_pool_name: str) -> None:
        assert description
        assert work_pool_name == "pool"
        self.limits[name] = concurrency_limit


def test_the_queue_is_made_once_and_keeps_the_limit_that_a_person_gave_it() -> None:
    server = FakeServer()
    assert ensure_attended_queue(server, "pool", 4)  # type: ignore[arg-type]
    assert server.limits == {QUEUE: 4}
    server.limits[QUEUE] = 9
    assert not ensure_attended_queue(server, "pool", 4)  # type: ignore[arg-type]
    assert server.limits == {QUEUE: 9}
