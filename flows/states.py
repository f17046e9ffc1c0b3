"""How an outcome shows in the Prefect UI: its status as the run's state, its reason as the message."""

import logging
from typing import Any, Final

from prefect.client.schemas.objects import State, StateType
from prefect.exceptions import CancelledRun, FailedRun
from prefect.states import Cancelled, Completed, Failed

from refute.outcome import Outcome, Status

GOOD: Final = frozenset({Status.PASS, Status.PASS_WEAK, Status.SKIPPED, Status.DRY_RUN})


def final_state(outcome: Outcome, *, carry: bool = True) -> State[Any]:
    """Green where nothing needs doing, grey where a person declined, red for everything else.

    Args:
        outcome: how the ticket ended.
        carry: whether the state carries the outcome. A batch would keep all of its tickets' in memory.
    """
    if outcome.status in GOOD:
        make = Completed
    elif outcome.status is Status.CANCELLED:
        make = Cancelled
    else:
        make = Failed
    return make(name=outcome.status, message=outcome.reason, data=outcome if carry else None)


def keep_tracebacks_out() -> None:
    """Keep Prefect from ending the log of a run that failed as a run may with a traceback, or with one of nothing.

    It raises the final state as an exception where a worker started the run, and logs the state of a failed task once
    more, with `NoneType: None`. The last lines of the log are ours: status and reason.
    """
    for name in ("prefect.flow_runs", "prefect.task_runs"):
        logging.getLogger(name).addFilter(_is_no_final_state)


def _is_no_final_state(record: logging.LogRecord) -> bool:
    if not record.exc_info:
        return True
    empty = record.exc_info[1] is None and record.getMessage().startswith("Task run failed with state")
    return not empty and not isinstance(record.exc_info[1], FailedRun | CancelledRun)


def outcome_of(state: State[Any]) -> Outcome:
    """The outcome that a finished run carries.

    Raises:
        UsageError: the ticket could not be used; whatever else the flow raised.
    """
    result = state.data if state.type is StateType.CANCELLED else state.result(raise_on_failure=False)
    result = getattr(result, "result", result)  # an in-memory result record wraps it
    if isinstance(result, BaseException):
        raise result
    if not isinstance(result, Outcome):
        raise TypeError(f"flow run ended {state.name} with {type(result).__name__}, expected an Outcome")
    return result
