"""A bounded cache: least recently used entries leave first, and every entry leaves after its time to live."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import wraps
from typing import Any, TypeVar

Value = TypeVar("Value")
_MISSING: Any = object()


class TTLCache:
    """Keeps at most `maxsize` entries, each for at most `ttl_s` seconds.

    Args:
        maxsize: number of entries, at least 1.
        ttl_s: seconds that an entry lives after it was last put.
        clock: seconds that never run backwards.

    Raises:
        ValueError: `maxsize` below 1, or `ttl_s` not positive.

    >>> cache = TTLCache(maxsize=2, ttl_s=60.0)
    >>> cache.put("a", 1); cache.put("b", 2)
    >>> cache.get("a")
    1
    >>> cache.put("c", 3)  # "b" was used longest ago
    >>> sorted(cache)
    ['a', 'c']
    """

    def __init__(self, maxsize: int, ttl_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        if maxsize < 1:
            raise ValueError(f"maxsize: got {maxsize}, expected at least 1")
        if not ttl_s > 0:
            raise ValueError(f"ttl_s: got {ttl_s}, expected more than 0")
        self._maxsize, self._ttl_s, self._clock = maxsize, ttl_s, clock
        self._entries: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()
        self.hits = 0
        self.misses = 0

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Hashable, Any]], *, maxsize: int, ttl_s: float = 3600.0) -> "TTLCache":
        """A cache filled from pairs of key and value, in order."""
        cache = cls(maxsize, ttl_s)
        for key, value in pairs:
            cache.put(key, value)
        return cache

    def put(self, key: Hashable, value: Any) -> None:
        """Store a value; it becomes the most recently used, and its time to live starts anew."""
        self._drop_expired()
        self._entries.pop(key, None)
        self._entries[key] = (self._clock() + self._ttl_s, value)
        if len(self._entries) > self._maxsize:
            self._entries.popitem(last=False)

    def get(self, key: Hashable, default: Any = None) -> Any:
        """The stored value, or `default` where there is none that still lives."""
        expires, value = self._entries.get(key, (0.0, _MISSING))
        if value is _MISSING or expires <= self._clock():
            self._entries.pop(key, None)
            self.misses += 1
            return default
        self._entries.move_to_end(key)
        self.hits += 1
        return value

    def keys(self) -> list[Hashable]:
        """Living keys, the least recently used first."""
        self._drop_expired()
        return list(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        self._drop_expired()
        return key in self._entries

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.keys())

    def __len__(self) -> int:
        self._drop_expired()
        return len(self._entries)

    def _drop_expired(self) -> None:
        now = self._clock()
        for key in [key for key, (expires, _) in self._entries.items() if expires <= now]:
            del self._entries[key]


def cached(maxsize: int, ttl_s: float) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Remember a function's results by its positional arguments, which must be hashable."""

    def decorate(function: Callable[..., Value]) -> Callable[..., Value]:
        cache = TTLCache(maxsize, ttl_s)

        @wraps(function)
        def remembered(*arguments: Hashable) -> Value:
            value = cache.get(arguments, _MISSING)
            if value is _MISSING:
                value = function(*arguments)
                cache.put(arguments, value)
            return value

        return remembered

    return decorate
