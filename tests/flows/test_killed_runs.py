"""What is asked of Prefect's server about killed runs; on a real one: tests/scenarios/test_killed_runs.py."""

import importlib
import pkgutil
import threading
from typing import Any

import pytest
from prefect import Flow

import flows
from flows.orchestrator.api import upsert_automation
from flows.orchestrator.killed_runs import (
    BEAT_S,
    ENDS,
    PAGE,
    RUNNING,
    SILENT_S,
    FlowName,
    automation,
    close_runs,
    heartbeats,
)
from flows.refute_flow import remove_containers


class FakeServer:
    """As much of Prefect's API as is asked here."""

    def __init__(self, *, unfinished: int = 0) -> None:
        self.automations: dict[str, dict[str, Any]] = {}
        self.task_runs = {f"task-{number}": "RUNNING" for number in range(unfinished)}
        self.changes: list[str] = []

    def __call__(self, method: str, path: str, body: Any) -> Any:
        match (method, *path.strip("/").split("/")):
            case "POST", "automations", "filter":
                return list(self.automations.values())
            case "POST", "task_runs", "filter":
                return [{"id": one} for one in self.task_runs][body["offset"] : body["offset"] + body["limit"]]
            case "POST", "flow_runs", "filter":
                assert body["flow_runs"]["deployment_id"] == {"is_null_": True}, "one that waits for a worker waits"
                return [{"id": "never-began"}][body["offset"] :]
            case "POST", "task_runs" | "flow_runs", run_id, "set_state":
                assert body["force"]
                self.task_runs[run_id] = body["state"]["type"]
            case "POST", "automations":
                self.put(str(len(self.automations)), body)
            case "PUT", "automations", automation_id:
                self.put(automation_id, body)
            case "DELETE", "automations", automation_id:
                del self.automations[automation_id]
            case other:
                pytest.fail(f"asked for {other}")
        self.changes.append(method)
        return None

    def put(self, automation_id: str, body: dict[str, Any]) -> None:
        self.automations[automation_id] = {**body, "id": automation_id}


def test_an_automation_is_made_once_and_not_touched_again_since_a_change_makes_the_server_forget():
    server = FakeServer()
    assert [upsert_automation(server, automation()) for _ in range(2)] == ["made", "there already"]
    assert server.changes == ["POST"]


def test_a_changed_automation_is_changed_stays_switched_off_and_loses_its_doubles():
    server = FakeServer()
    upsert_automation(server, automation(within_s=60))
    server.automations["0"]["enabled"] = False
    server.put("double", server.automations["0"])
    upsert_automation(server, automation())
    ((kept, changed),) = server.automations.items()
    assert (kept, changed["enabled"], changed["trigger"]["within"]) == ("0", False, SILENT_S)


@pytest.mark.parametrize("count", [0, 1, PAGE, 2 * PAGE + 1])
def test_all_task_runs_of_ended_runs_and_runs_that_never_began_are_closed_whatever_a_page_holds(count):
    server = FakeServer(unfinished=count)
    assert close_runs(server) == count + 1
    assert len(server.task_runs) == count + 1
    assert set(server.task_runs.values()) == {"CRASHED"}


@pytest.fixture(scope="module")
def every_flow() -> dict[str, Flow[..., Any]]:
    """Whatever is a flow in our package, however it was made."""
    modules = [importlib.import_module(one.name) for one in pkgutil.walk_packages(flows.__path__, "flows.")]
    return {one.name: one for module in modules for one in vars(module).values() if isinstance(one, Flow)}


@pytest.mark.parametrize("name", FlowName)
def test_every_flow_gives_signs_of_life_around_its_body_and_its_containers_are_removed(name, every_flow, monkeypatch):
    class Beating(Exception):
        """Begun, before the body was reached."""

    def begin() -> None:
        raise Beating

    monkeypatch.setattr("flows.refute_flow.heartbeats", begin)
    assert set(every_flow) == set(FlowName), "one has a name that is not looked after"
    flow = every_flow[name]
    with pytest.raises(Beating):
        flow.fn(None)
    assert flow.on_crashed_hooks == flow.on_cancellation_hooks == [remove_containers]


def test_what_is_asked_of_the_server_names_every_flow_and_a_lost_heartbeat_kills_none():
    assert automation()["trigger"]["match_related"]["prefect.resource.name"] == list(FlowName)
    assert 2 * BEAT_S < SILENT_S
    assert RUNNING in automation()["trigger"]["after"], "a run that is killed as it begins has told nothing itself"
    assert "Paused" not in ENDS, "who waits for a person beats on, and may be killed meanwhile"


def test_where_prefect_s_own_heartbeats_are_on_there_are_no_others():
    from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: 30}), heartbeats():
        assert "heartbeats" not in {thread.name for thread in threading.enumerate()}
