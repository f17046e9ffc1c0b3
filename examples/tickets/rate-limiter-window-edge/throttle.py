"""Sliding-window throttling of outgoing requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable


@dataclass
class Throttle:
    """Sliding-window throttle.

    Args:
        limit: calls allowed per window.
        window_s: length of the window in seconds.
    """

    limit: int
    window_s: float
    _window_start: float = field(default=0.0, repr=False)
    _count: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise ValueError("limit must be at least 1")
        if self.window_s <= 0:
            raise ValueError("window_s must be positive")

    def _slide(self, now: float) -> None:
        """Slide the window forward so that it contains `now`."""
        if now - self._window_start >= self.window_s:
            elapsed = int((now - self._window_start) // self.window_s)
            self._window_start += elapsed * self.window_s
            self._count = 0

    def allow(self, now: float) -> bool:
        """Return True and count the call if it fits into the current window."""
        self._slide(now)
        if self._count < self.limit:
            self._count += 1
            return True
        return False

    def remaining(self, now: float) -> int:
        """Return the number of calls left in the current window."""
        self._slide(now)
        return self.limit - self._count

    def reset(self) -> None:
        """Forget all calls."""
        self._window_start = 0.0
        self._count = 0


def allowed_times(limit: int, window_s: float, times: Iterable[float]) -> list[float]:
    """Replay a log of request times and return those that would have been allowed.

    >>> allowed_times(2, 60, [0, 10, 20, 60])
    [0, 10, 60]
    """
    throttle = Throttle(limit, window_s)
    return [t for t in times if throttle.allow(t)]
