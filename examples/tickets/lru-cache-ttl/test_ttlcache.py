import time

import pytest

from ttlcache import TTLCache, cached


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_least_recently_used_leaves_first():
    cache = TTLCache.from_pairs([("a", 1), ("b", 2)], maxsize=2)
    cache.get("a")
    cache.put("c", 3)
    assert cache.keys() == ["a", "c"]


def test_entries_expire():
    clock = Clock()
    cache = TTLCache(2, 10.0, clock)
    cache.put("a", 1)
    clock.now = 9.9
    assert cache.get("a") == 1
    clock.now = 10.0
    assert cache.get("a", "gone") == "gone"
    assert len(cache) == 0


def test_none_and_false_are_values():
    cache = TTLCache.from_pairs([("n", None), ("f", False)], maxsize=2)
    assert "n" in cache
    assert cache.get("n", "default") is None
    assert cache.get("f", "default") is False


def test_expired_entries_leave_before_living_ones():
    clock = Clock()
    cache = TTLCache(2, 10.0, clock)
    cache.put("old", 1)
    clock.now = 8.0
    cache.put("living", 2)
    cache.get("old")
    clock.now = 11.0
    cache.put("new", 3)
    assert cache.keys() == ["living", "new"]


def test_decorated_function_is_called_once_per_argument_while_it_lives():
    calls = []

    @cached(maxsize=8, ttl_s=0.05)
    def square(n):
        calls.append(n)
        return n * n

    assert [square(3), square(3)] == [9, 9]
    time.sleep(0.06)
    assert square(3) == 9
    assert calls == [3, 3]


@pytest.mark.parametrize(("maxsize", "ttl_s"), [(0, 1.0), (1, 0.0), (1, float("nan"))])
def test_senseless_sizes_are_refused(maxsize, ttl_s):
    with pytest.raises(ValueError):
        TTLCache(maxsize, ttl_s)
