"""Runs whose process was killed: the server finds them, since their heartbeats stop, and shows them as crashed."""

import contextlib
import contextvars
import http.client
import threading
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from flows.orchestrator.api import Ask, over_http, upsert_automation
from refute.outcome import Status

HEARTBEAT: Final = "prefect.flow-run.heartbeat"
RUNNING: Final = "prefect.flow-run.Running"
"""Told by the server itself: a process that is killed right then has given no sign of life, and never will."""
BEAT_S: Final = 30.0
"""How often a run gives a sign of life; workers' runs by prefect.yaml, where Prefect's own default is 180 s."""
SILENT_S: Final = 90
ENDS: Final = ("Completed", "Failed", "Cancelled", "Crashed", "TimedOut", "Suspended", "INTERRUPTED", *Status)
"""Names of states in which no process is expected any more; by them Prefect names its events.

`Paused` is none: whoever waits for a person does so in a process. A run that ended by another name stays as it ended:
Prefect lets none crash that is over.
"""
LOOK_S: Final = 30.0
BEGUN_S: Final = 120.0
"""Within this a flow run that nobody scheduled has begun, however busy the machine."""
PAGE: Final = 200
"""What Prefect's API gives at most."""


class FlowName(StrEnum):
    """Ours, as `flows.refute_flow` makes them: on a server with runs of other people, those need not beat as often."""

    VERIFY_TICKET = "verify-ticket"
    VERIFY_BATCH = "verify-batch"
    VERIFY_CHUNK = "verify-chunk"
    GATE = "gate"
    CONFIRM = "confirm"
    REVIEW_TICKET = "review-ticket"
    ISSUE_WORKFLOW = "issue-workflow"
    RESEARCH = "research"
    ASSIST = "assist"
    BUDGET_REPORT = "budget-report"


def automation(*, within_s: int = SILENT_S) -> dict[str, Any]:
    """What makes the server find them, as its API takes it.

    Args:
        within_s: of silence; at least 10.
    """
    return {
        "name": "refute: a run whose process has gone has crashed",
        "description": "Made by refute; needs its heartbeats every 30 s.",
        "enabled": True,
        "trigger": {
            "type": "event",
            "posture": "Proactive",
            "match": {"prefect.resource.id": "prefect.flow-run.*"},
            "match_related": {"prefect.resource.role": "flow", "prefect.resource.name": list(FlowName)},
            "after": [RUNNING, HEARTBEAT],
            "expect": [HEARTBEAT, *(f"prefect.flow-run.{name}" for name in ENDS)],
            "for_each": ["prefect.resource.id"],
            "threshold": 1,
            "within": within_s,
        },
        "actions": [
            {
                "type": "change-flow-run-state",
                "state": "CRASHED",
                "message": f"its process has gone: no sign of life for {within_s} s",
            }
        ],
    }


@contextlib.contextmanager
def heartbeats() -> Iterator[None]:
    """Tell the server that this flow run's process lives, while the block does, where Prefect itself does not.

    Prefect's own thread sleeps whole seconds, for which a run waits at its end: ad-hoc runs have it off (ADR 22).
    """
    from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY

    if PREFECT_FLOWS_HEARTBEAT_FREQUENCY.value() is not None:
        yield
        return
    over = threading.Event()
    # In a copy of the context: it has the settings, so the server, and the flow run.
    beating = contextvars.copy_context()
    threading.Thread(target=beating.run, args=(_beat_until, over), daemon=True, name="heartbeats").start()
    try:
        yield
    finally:
        over.set()


def _beat_until(over: threading.Event) -> None:
    from prefect.context import FlowRunContext
    from prefect.events import emit_event

    context = FlowRunContext.get()
    if context is None or context.flow_run is None:
        raise RuntimeError("heartbeats outside of a flow run, expected them in a flow's body")
    run, name = context.flow_run, context.flow.name if context.flow else ""
    resource = {"prefect.resource.id": f"prefect.flow-run.{run.id}", "prefect.resource.name": run.name}
    flow = {"prefect.resource.id": f"prefect.flow.{run.flow_id}", "prefect.resource.role": "flow"}
    while True:
        with contextlib.suppress(RuntimeError):  # a lost server is given up at this very moment
            emit_event(HEARTBEAT, resource=resource, related=[{**flow, "prefect.resource.name": name}])
        if over.wait(BEAT_S):
            return


def close_runs(ask: Ask) -> int:
    """Have those runs crash of which no heartbeat tells.

    Task runs that were under way when their flow run ended: only its process could have ended them. One that ended
    less than `LOOK_S` ago may still tell of them itself. Flow runs of no deployment that never began: their process
    was killed in the moment between, which takes milliseconds.

    Args:
        ask: the server.

    Returns:
        How many there were.

    Raises:
        OSError: the server was not to be asked.
    """
    now = datetime.now(UTC)
    before, long_before = ((now - timedelta(seconds=age_s)).isoformat() for age_s in (LOOK_S, BEGUN_S))
    ended = {"state": {"type": {"any_": ["CRASHED", "CANCELLED", "FAILED"]}}, "end_time": {"before_": before}}
    under_way = {"state": {"type": {"any_": ["RUNNING", "PENDING", "SCHEDULED"]}}}
    never_began = {
        "state": {"type": {"any_": ["PENDING"]}},
        "expected_start_time": {"before_": long_before},
        "deployment_id": {"is_null_": True},
    }
    ours = {"name": {"any_": list(FlowName)}}
    return _crash(
        ask, "task_runs", {"flow_runs": ended, "task_runs": under_way}, "its flow run ended before it"
    ) + _crash(ask, "flow_runs", {"flow_runs": never_began, "flows": ours}, "its process has gone")


def _crash(ask: Ask, kind: str, query: Mapping[str, Any], message: str) -> int:
    """Have runs of a kind crash, all that are found; how many there were."""
    found: list[str] = []
    while len(found) % PAGE == 0:
        page = ask("POST", f"/{kind}/filter", {**query, "limit": PAGE, "offset": len(found)})
        found += [run["id"] for run in page]
        if not page:
            break
    state = {"type": "CRASHED", "name": "Crashed", "message": message}
    for run_id in found:
        ask("POST", f"/{kind}/{run_id}/set_state", {"state": state, "force": True})
    return len(found)


class Caretaker:
    """Keeps a local server's view of killed runs true, without importing Prefect.

    Args:
        api_url: of the server.
    """

    def __init__(self, api_url: str) -> None:
        self._ask = over_http(api_url)
        self._due = time.monotonic()

    def look(self) -> None:
        """Look unless that was just done; what the server does not take now, it is told the next time."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + LOOK_S
        with contextlib.suppress(OSError, http.client.HTTPException):
            upsert_automation(self._ask, automation())
            close_runs(self._ask)
