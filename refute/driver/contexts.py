"""Context variables stay in the process where they were set: a test that would see those of tasks is told of it.

Code and test each have the variables of the thread that asks. Coroutines of the code run in a thread of their own, so a
test that awaits them, or copies a context itself, is carried only as long as the code has set no variable.
"""

import contextvars
import sys
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Final

REASON: Final = "needs the implementation in the test's process: sets context variables beside the test's tasks"
DECIMAL: Final = "decimal_context"
"""The variable of Python's own decimal arithmetic, which is shared otherwise."""


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
