"""Context variables stay in the process where they were set: where one process would see more, the test is told of it.

Code and test each have the variables of the thread that asks. What is not carried: a change by a coroutine of the code
to what awaits it, and contexts that a test copies itself.
"""

import contextvars
import sys
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from types import CodeType
from typing import Any, Final

REASON: Final = "needs the implementation in the test's process: sets context variables beside the test's tasks"
NOT_THEIRS: Final = frozenset({"decimal_context", "refute"})
"""Variables of Python's own decimal arithmetic, which is shared otherwise, and of this module."""
BEGAN: Final[ContextVar[Context | None]] = ContextVar("refute", default=None)
"""What a coroutine that the other side started had at its beginning."""
OURS: Final = __file__.rpartition("/")[0] + "/"


def is_changed(before: Context) -> bool:
    """Whether this context holds anything else than before."""
    now, known = _held(copy_context()), _held(before)
    return now.keys() != known.keys() or any(known[var] is not value for var, value in now.items())


def _held(context: Context) -> dict[Any, Any]:
    return {var: value for var, value in context.items() if var.name not in NOT_THEIRS}


def has_changed() -> bool:
    """Whether a coroutine that the other side started has changed context variables so far."""
    before = BEGAN.get()
    return before is not None and is_changed(before)


def is_task_of_ours() -> bool:
    """Whether the running task is nothing but a coroutine of the other side, so that its context is nobody else's."""
    import asyncio

    task = asyncio.current_task()
    code = getattr(task.get_coro(), "cr_code", None) if task is not None else None
    return isinstance(code, CodeType) and code.co_filename.startswith(OURS)


def watch_copies(note: Callable[[], None]) -> None:
    """Call `note` when a test copies a context, or has it copied for a thread; event loops always do."""
    copied = contextvars.copy_context

    def copy() -> Context:
        asking = str(sys._getframe(1).f_globals.get("__name__"))  # noqa: SLF001  # the caller is the question
        if not asking.startswith("asyncio.") or asking == "asyncio.threads":
            note()
        return copied()

    contextvars.copy_context = copy


class ContextWatch:
    """Says whether the context variables of this thread have changed since the last message."""

    def __init__(self) -> None:
        self._seen = copy_context()

    def tell(self) -> bool:
        """Whether they have."""
        if not is_changed(self._seen):
            return False
        self._seen = copy_context()
        return True
