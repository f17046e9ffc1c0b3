"""Research as Prefect tasks: plan, fetch, read, validate, with the retries, limits and caches that stages have."""

from typing import Any, Final

from prefect import Task
from prefect.client.schemas.objects import State, TaskRun

from refute.guardrails.urls import FetchBusy
from tasks.options import CACHED, PLAIN, RETRIED
from tasks.stages import make_stage


def may_pass(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Whether a page may be asked for again: a server that was busy or away, never a policy's denial."""
    return isinstance(state.data, FetchBusy)


AGAIN: Final = {"retries": 1, "retry_delay_seconds": 1.0, "retry_condition_fn": may_pass}
PLAN: Final = make_stage("plan", RETRIED, does="Decides which pages are read, before any of them is seen.")
FETCH: Final = make_stage("fetch", {**RETRIED, **AGAIN}, does="Fetches one page behind the URL policy.")
READ: Final = make_stage("read", CACHED, does="Has a model without tools read one page.")
VALIDATE: Final = make_stage("validate", PLAIN, does="Checks every point against its source.")
RESEARCH_STAGES: Final = {one.name: one for one in (PLAN, FETCH, READ, VALIDATE)}
