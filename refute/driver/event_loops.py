"""The event loop that a test finds."""

import sys
from typing import Any


def forget_ended_loop() -> None:
    """Let `asyncio.get_event_loop` make a loop again in this thread, as in a new process.

    `asyncio.run` leaves the thread with none, and from then on it raises: a test that runs after another one would
    fail for its place in the file. A loop that somebody has set stays.
    """
    module = sys.modules.get("asyncio")
    local: Any = getattr(module.get_event_loop_policy(), "_local", None) if module is not None else None
    if getattr(local, "_loop", True) is None:
        local._set_called = False  # noqa: SLF001  # nothing public takes it back
