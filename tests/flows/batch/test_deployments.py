"""What prefect.yaml asks of the flows is what they take, and the forms made from them can be filled in by a person."""

import importlib
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from flows.batch.dispatch import DEPLOYMENT
from flows.batch.request import BatchRequest
from flows.orchestrator.attended import QUEUE
from flows.orchestrator.killed_runs import BEAT_S

ROOT = Path(__file__).resolve().parents[3]
DEPLOYMENTS = {one["name"]: one for one in yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]}


def flow_of(deployment: dict[str, Any]) -> Any:
    path, _, name = deployment["entrypoint"].partition(":")
    return getattr(importlib.import_module(path.removesuffix(".py").replace("/", ".")), name)


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_deployments_parameters_are_valid_for_its_flow(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    deployment = DEPLOYMENTS[name]
    assert flow_of(deployment).validate_parameters(deployment["parameters"])["request"]


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_the_form_names_and_explains_its_fields_and_leaves_out_the_settings(name):
    schema = flow_of(DEPLOYMENTS[name]).parameters.model_dump()
    (request,) = [one for key, one in schema["definitions"].items() if key.endswith("Request")]
    assert "settings" not in request["properties"]
    assert all("description" in field for field in request["properties"].values())


def test_what_the_form_cannot_know_is_refused_by_name():
    with pytest.raises(ValidationError, match=r"limit(.|\n)*surprise"):
        BatchRequest.model_validate({"source": "x", "limit": 0, "surprise": 1})


@pytest.mark.parametrize("name", ["../../etc", "two words", "line\n", "", "n" * 65])
def test_a_batch_s_name_from_the_form_is_one_word_without_slashes(name):
    with pytest.raises(ValidationError, match="batch_id"):
        BatchRequest(batch_id=name)


def test_what_asks_a_person_has_a_queue_of_its_own_and_nothing_else_has_it():
    asking = {name for name, one in DEPLOYMENTS.items() if one["parameters"]["request"].get("approval") == "ask"}
    queued = {name for name, one in DEPLOYMENTS.items() if one["work_pool"].get("work_queue_name") == QUEUE}
    assert asking | {"assist"} == queued == {"ad-hoc", "batch", "assist"}


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_worker_s_run_gives_signs_of_life_as_often_as_is_waited_for_whoever_started_the_worker(name):
    environment = DEPLOYMENTS[name]["work_pool"]["job_variables"]["env"]
    assert environment == {"PREFECT_FLOWS_HEARTBEAT_FREQUENCY": f"{BEAT_S:.0f}"}


def test_chunks_are_dispatched_by_the_name_of_their_deployment():
    flow, _, name = DEPLOYMENT.partition("/")
    assert flow_of(DEPLOYMENTS[name]).name == flow
