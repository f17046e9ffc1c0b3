"""How every stage becomes a Prefect task: retried only where the infrastructure failed, never on a verdict."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import TaskRun
from prefect.states import State

from refute.errors import EngineDied

P = ParamSpec("P")
R = TypeVar("R")


def stage(name: str) -> Callable[[Callable[P, R]], Task[P, R]]:
    """A task for one stage of the pipeline, named as in the UI."""
    return task(name=name, cache_policy=NO_CACHE, persist_result=False, log_prints=False)


def stage_on_engine(name: str) -> Callable[[Callable[P, R]], Task[P, R]]:
    """A stage that runs a container: tried once more if the engine died under it.

    The real time limit is the engine's deadline; Prefect's task timeout does not interrupt a blocking call.
    """
    return task(
        name=name,
        cache_policy=NO_CACHE,
        persist_result=False,
        retries=1,
        retry_delay_seconds=2,
        retry_condition_fn=engine_died,
    )


def engine_died(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Whether the attempt ended because the engine died."""
    try:
        state.result()
    except EngineDied:
        return True
    except Exception:  # noqa: BLE001  # any other failure is not retried, whatever it is
        return False
    return False
