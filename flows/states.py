"""How an outcome shows in the Prefect UI: its status as the run's state, its reason as the message."""

import logging
from functools import partial
from typing import Any, Final

from prefect.client.schemas.objects import State
from prefect.exceptions import CancelledRun, FailedRun
from prefect.logging.handlers import PrefectConsoleHandler
from prefect.states import Cancelled, Completed, Failed
from rich.console import Console

from refute.outcome import Outcome, Status

GOOD: Final = frozenset({Status.PASS, Status.PASS_WEAK, Status.SKIPPED, Status.DRY_RUN})
SAID_ANYHOW: Final = ("Timeout of %s seconds configured for this task", "Finished in state Co")
"""How Prefect's lines begin that tell a reader of a run's log nothing more."""


def final_state(outcome: Outcome) -> State[Any]:
    """Green where nothing needs doing, grey where a person declined, red for all else; the ledger has the rest."""
    make = Completed if outcome.status in GOOD else Cancelled if outcome.status is Status.CANCELLED else Failed
    return make(name=outcome.status, message=outcome.reason)


def prepare_logs() -> None:
    """What every flow does first, so that its logs say what matters and end nothing."""
    keep_tracebacks_out()
    outlive_log_readers()


def keep_tracebacks_out() -> None:
    """Keep out of the logs what Prefect writes about runs that ended as a run may.

    It raises the final state as an exception where a worker started the run, logs the state of a failed task once more
    with `NoneType: None`, says of each stage that it finished, which our line says with what it came to, and warns at
    each task with a time limit in a batch's thread, which is a backstop there (`tasks.options`). The last lines of the
    log are ours: status and reason.
    """
    for name in ("prefect.flow_runs", "prefect.task_runs"):
        logging.getLogger(name).addFilter(_says_something)


def outlive_log_readers() -> None:
    """Let no line of a log end a run.

    Where nobody reads the log any more (a worker that was killed, `| head`), rich raises `SystemExit` in the thread
    that writes next: a ticket ended so was recorded as ERROR.
    """
    loggers = [logging.getLogger(), *(logging.getLogger(name) for name in list(logging.root.manager.loggerDict))]
    for handler in {one for logger in loggers for one in logger.handlers}:
        if isinstance(handler, PrefectConsoleHandler):
            handler.console.on_broken_pipe = partial(_fall_silent, handler.console)  # type: ignore[method-assign]


def _fall_silent(console: Console) -> None:
    console.quiet = True


def _says_something(record: logging.LogRecord) -> bool:
    if not record.exc_info:
        return not str(record.msg).startswith(SAID_ANYHOW)
    empty = record.exc_info[1] is None and record.getMessage().startswith("Task run failed with state")
    return not empty and not isinstance(record.exc_info[1], FailedRun | CancelledRun)
