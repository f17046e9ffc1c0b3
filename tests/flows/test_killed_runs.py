"""What is asked of Prefect's server about killed runs; on a real one: tests/scenarios/test_killed_runs.py."""

import threading
from typing import Any

import pytest

from flows.orchestrator.api import upsert_automation
from flows.orchestrator.killed_runs import (
    BEAT_S,
    ENDS,
    FLOWS,
    PAGE,
    RUNNING,
    SILENT_S,
    automation,
    close_runs,
    heartbeats,
)


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


def test_every_flow_is_looked_after_and_a_lost_heartbeat_kills_none():
    from flows import budget_report, verify_batch, verify_chunk, verify_ticket
    from flows.confirmation.form import ask_in_ui

    flows = (
        verify_ticket.verify_ticket,
        verify_batch.verify_batch,
        verify_chunk.verify_chunk,
        ask_in_ui,
        budget_report.budget_report,
    )
    assert {flow.name for flow in flows} == set(FLOWS)
    assert 2 * BEAT_S < SILENT_S
    assert RUNNING in automation()["trigger"]["after"], "a run that is killed as it begins has told nothing itself"
    assert "Paused" not in ENDS, "who waits for a person beats on, and may be killed meanwhile"


def test_where_prefect_s_own_heartbeats_are_on_there_are_no_others():
    from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: 30}), heartbeats():
        assert "heartbeats" not in {thread.name for thread in threading.enumerate()}
