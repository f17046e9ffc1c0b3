"""Sliding-window rate limiting: at most so many calls in any window of so many seconds."""

import math
import threading
from collections import OrderedDict, deque
from collections.abc import Iterable


class SlidingWindowLimiter:
    """Grants at most `limit` calls in any half-open window of `window_s` seconds.

    Times are seconds of any clock that does not run backwards; a time before the latest one counts as the latest.

    >>> limiter = SlidingWindowLimiter(2, 10.0)
    >>> [limiter.allow(t) for t in (0.0, 1.0, 2.0, 10.0)]
    [True, True, False, True]
    """

    def __init__(self, limit: int, window_s: float) -> None:
        if limit < 1:
            raise ValueError(f"limit: got {limit}, expected at least 1")
        if not (math.isfinite(window_s) and window_s > 0):
            raise ValueError(f"window_s: got {window_s}, expected a positive number of seconds")
        self.limit = limit
        self.window_s = window_s
        self._granted: deque[float] = deque()
        self._latest = -math.inf
        self._lock = threading.Lock()

    def _forget(self, now: float) -> float:
        self._latest = max(self._latest, now)
        while self._granted and self._latest - self._granted[0] >= self.window_s:
            self._granted.popleft()
        return self._latest

    def allow(self, now: float) -> bool:
        """Whether a call at `now` is granted; a granted call counts against the window."""
        with self._lock:
            now = self._forget(now)
            if len(self._granted) >= self.limit:
                return False
            self._granted.append(now)
            return True

    def remaining(self, now: float) -> int:
        """How many calls would still be granted at `now`."""
        with self._lock:
            self._forget(now)
            return self.limit - len(self._granted)

    def retry_after_s(self, now: float) -> float:
        """Seconds until the next call can be granted; 0.0 where it can be now."""
        with self._lock:
            now = self._forget(now)
            if len(self._granted) < self.limit:
                return 0.0
            return max(0.0, self._granted[0] + self.window_s - now)


class KeyedLimiter:
    """One limiter per key, for at most `max_keys` keys; the one used longest ago is forgotten first."""

    def __init__(self, limit: int, window_s: float, max_keys: int = 10_000) -> None:
        if max_keys < 1:
            raise ValueError(f"max_keys: got {max_keys}, expected at least 1")
        SlidingWindowLimiter(limit, window_s)  # refuses wrong limits here rather than at the first call
        self._limit, self._window_s, self._max_keys = limit, window_s, max_keys
        self._limiters: OrderedDict[str, SlidingWindowLimiter] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._limiters)

    def allow(self, key: str, now: float) -> bool:
        """Whether a call of `key` at `now` is granted."""
        with self._lock:
            limiter = self._limiters.pop(key, None) or SlidingWindowLimiter(self._limit, self._window_s)
            self._limiters[key] = limiter
            while len(self._limiters) > self._max_keys:
                self._limiters.popitem(last=False)
        return limiter.allow(now)


def replay(limit: int, window_s: float, times: Iterable[float]) -> list[float]:
    """The times at which calls would have been granted, for tuning limits against a log.

    >>> replay(1, 10.0, [0.0, 9.0, 10.0])
    [0.0, 10.0]
    """
    limiter = SlidingWindowLimiter(limit, window_s)
    return [time for time in times if limiter.allow(time)]
