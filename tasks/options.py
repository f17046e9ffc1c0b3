"""What the stages' tasks share: when one is tried again, its backstop, its cache key and expiry."""

from datetime import timedelta
from typing import Any, Final

from prefect import Task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.context import TaskRunContext

from refute.errors import CommandNotStarted, ContainerLost, EngineDied, EngineUnavailable
from refute.settings import Settings

PASSING: Final = (EngineUnavailable, EngineDied, ContainerLost, CommandNotStarted)
"""What a second try may mend: the engine was away, or somebody took the container."""
RETRY_DELAYS_S: Final = (2.0, 12.0)
"""An engine that is started again answers within this. Spread by half: a batch's tickets shall not return as one."""
MARGIN_S: Final = 900.0
"""Making and reading containers, and in a batch waiting for a free one."""
MODEL_STAGE_S: Final = 3_600.0
"""Rounds of model calls, each with its own time limit, and waits for budget or a turn."""


def is_passing(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Whether a task may be tried again: infrastructure that comes back.

    Never a verdict, a block, a budget, a model that gave up, the ledger or the audit log: a second try would come to
    the same, or must not be.
    """
    return isinstance(state.data, PASSING)


def key_of(_context: TaskRunContext, parameters: dict[str, Any]) -> str | None:
    """The domain's content key, made before the task; None: nothing stands for this result."""
    key: str | None = parameters["key"]
    return key


PLAIN: Final[dict[str, Any]] = {
    "cache_policy": NO_CACHE,
    "persist_result": False,
    "cache_result_in_memory": False,
}
"""Of a task that runs once: what it does must not be repeated by itself."""
RETRIED: Final[dict[str, Any]] = {
    **PLAIN,
    "retries": len(RETRY_DELAYS_S),
    "retry_delay_seconds": list(RETRY_DELAYS_S),
    "retry_jitter_factor": 0.5,
    "retry_condition_fn": is_passing,
}
"""Of a task that runs containers or asks models."""
CACHED: Final[dict[str, Any]] = {**RETRIED, "persist_result": True, "cache_key_fn": key_of}
"""Of a task whose result may stand for a later one. Where it is kept: `tasks.results`."""
del CACHED["cache_policy"]  # Prefect takes one or the other


def backstop_s(stage: str, settings: Settings) -> float:
    """When Prefect ends a stage that the engine's and the model client's own limits did not.

    On the main thread (`refute verify`, `verify-ticket` on a worker) it really ends it; in a batch's thread Prefect
    marks the run once the blocking call has returned. `Job.limits` and the HTTP timeouts are the real limits.

    Args:
        stage: its name.
        settings: with the limits of containers, in seconds.
    """
    limits_s = {
        "verify": settings.verification_timeout_s,
        "attack": settings.attack_timeout_s,
        "differences": 60.0,
        "strength": settings.mutation_timeout_s,
        "second environment": 2 * settings.attack_timeout_s,
        "triage": settings.attack_timeout_s + MODEL_STAGE_S,
        "reproduce": settings.attack_timeout_s,
        "research": MODEL_STAGE_S,
        "plan": MODEL_STAGE_S,
        "fetch": settings.research.fetch_timeout_s,
        "read": MODEL_STAGE_S,
        "write tests": MODEL_STAGE_S,
        "plant violations": MODEL_STAGE_S,
        "critics": MODEL_STAGE_S,
        "rework": settings.critics.rework_timeout_s,
    }
    return 2 * limits_s.get(stage, 0.0) + MARGIN_S


def for_settings(task: Task[..., Any], settings: Settings) -> Task[..., Any]:
    """The task with the timeout, expiry and freshness that the settings ask for."""
    options: dict[str, Any] = {"timeout_seconds": backstop_s(task.name, settings)}
    if task.cache_key_fn is not None:
        options["cache_expiration"] = timedelta(seconds=settings.results_max_age_s)
        options["refresh_cache"] = settings.fresh
    return task.with_options(**options)
