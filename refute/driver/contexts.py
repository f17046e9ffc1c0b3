"""Contexts stay in the process where they were set: a test that would see those of the other one is told of it.

Code and test each have the variables of the thread that asks. Coroutines of the code run in a thread of their own, so a
test that awaits them, or copies a context itself, is carried only where neither has variables; and decimal arithmetic
is that of one process as long as both have its context as Python makes it.
"""

import contextvars
import decimal
import sys
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Final

VARIABLES: Final = "needs the implementation in the test's process: sets context variables beside the test's tasks"
ARITHMETIC: Final = "needs the implementation in the test's process: sets the context of decimal arithmetic"
DECIMAL: Final = "decimal_context"
"""The variable of decimal arithmetic."""


def watch_copies(note: Callable[[], None]) -> None:
    """Call `note` when a test copies a context, or has it copied for a thread; event loops always do."""
    copied = contextvars.copy_context

    def copy() -> Context:
        asking = str(sys._getframe(1).f_globals.get("__name__"))  # noqa: SLF001  # the caller is the question
        if not asking.startswith("asyncio.") or asking == "asyncio.threads":
            note()
        return copied()

    contextvars.copy_context = copy


def holds_variables() -> bool:
    """Whether this thread or task has context variables that somebody has set."""
    return any(var.name != DECIMAL for var in copy_context())


def counts_as_usual() -> bool:
    """Whether this thread's context of decimal arithmetic is that of a new one; what is only flagged may differ."""
    now, usual = decimal.getcontext(), decimal.DefaultContext
    return now.prec == usual.prec and now.rounding == usual.rounding and now.traps == usual.traps
