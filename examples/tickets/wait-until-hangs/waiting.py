"""Waiting for conditions with a timeout."""

import threading
import time
from typing import Callable, Optional, TypeVar

T = TypeVar("T")


class WaitTimeout(TimeoutError):
    """The condition did not come true in time."""


def wait_until(
    condition: Callable[[], Optional[T]],
    timeout_s: float = 5.0,
    interval_s: float = 0.01,
    description: str = "condition",
) -> T:
    """Wait until a condition returns something true, and return that.

    Args:
        condition: Called again and again.
        timeout_s: Seconds to wait at most.
        interval_s: Seconds between two calls.
        description: For the error message.

    Raises:
        WaitTimeout: If the condition has not come true after `timeout_s`.
        ValueError: If a duration is negative.
    """
    if timeout_s < 0 or interval_s < 0:
        raise ValueError("durations must not be negative")
    while True:
        deadline = time.monotonic() + timeout_s
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise WaitTimeout(f"{description}: not true after {timeout_s} s")
        time.sleep(interval_s)


def wait_for_event(event: threading.Event, timeout_s: float = 5.0) -> None:
    """Wait for an event that another thread sets."""
    wait_until(event.is_set, timeout_s, description="event")


def retry(function: Callable[[], T], attempts: int, delay_s: float = 0.0) -> T:
    """Call a function until it does not raise, at most `attempts` times; the last error is raised.

    >>> retry(lambda: 7, attempts=3)
    7
    """
    if attempts < 1:
        raise ValueError("attempts must be at least 1")
    for attempt in range(1, attempts + 1):
        try:
            return function()
        except Exception:
            if attempt == attempts:
                raise
            time.sleep(delay_s)
    raise AssertionError("unreachable")
