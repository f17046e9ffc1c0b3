"""How every stage becomes a Prefect task.

Nothing is retried here: the sandbox itself tries once more when its engine dies under it, and a verdict or a security
block is never retried. The real time limits are the engine's deadlines; Prefect's do not interrupt a blocking call.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Concatenate, ParamSpec, TypeVar

from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.context import TagsContext

from refute.ports import Ports

P = ParamSpec("P")
R = TypeVar("R")
Stage = Callable[Concatenate[Ports, P], R]

_WHOLE: ContextVar[bool] = ContextVar("refute_whole_ticket", default=False)


@contextmanager
def whole_ticket() -> Iterator[None]:
    """In this block a ticket is one task run: its stages run without task runs of their own (ADR 0013, with figures).

    Ten task runs a ticket cost the server more than a second of processor time, which a batch has not got.
    """
    token = _WHOLE.set(True)
    try:
        yield
    finally:
        _WHOLE.reset(token)


def stage(name: str) -> Callable[[Stage[P, R]], Stage[P, R]]:
    """A task for one stage of the pipeline, named as in the UI; the run's observer hears that it begins."""

    def as_task(function: Stage[P, R]) -> Stage[P, R]:
        run: Task[[Callable[[], R]], R] = task(
            name=name, task_run_name=name, cache_policy=NO_CACHE, persist_result=False
        )(_call)

        @functools.wraps(function)
        def staged(ports: Ports, /, *args: P.args, **kwargs: P.kwargs) -> R:
            ports.observer.began(name)
            if _WHOLE.get():
                return function(ports, *args, **kwargs)
            # Prefect looks for futures in all that a task is given, file by file of a snapshot and several times a
            # stage: 0.6 s for 5,000 files. Into a partial it does not look.
            # A tag would have the server asked for a slot of it before every stage, which a busy one answers with 503.
            with TagsContext(current_tags=set()):
                return run(functools.partial(function, ports, *args, **kwargs))

        return staged

    return as_task


def _call(work: Callable[[], R]) -> R:
    return work()
