"""How every stage becomes a Prefect task.

Nothing is retried here: the sandbox itself tries once more when its engine dies under it, and a verdict or a security
block is never retried. The real time limits are the engine's deadlines; Prefect's do not interrupt a blocking call.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from prefect import Task, task
from prefect.cache_policies import NO_CACHE

P = ParamSpec("P")
R = TypeVar("R")


def stage(name: str) -> Callable[[Callable[P, R]], Task[P, R]]:
    """A task for one stage of the pipeline, named as in the UI."""
    return task(name=name, cache_policy=NO_CACHE, persist_result=False)
