import threading

import pytest

from ratelimit import KeyedLimiter, SlidingWindowLimiter, replay


def test_grants_up_to_the_limit():
    limiter = SlidingWindowLimiter(3, 60.0)
    assert [limiter.allow(1.0) for _ in range(5)] == [True, True, True, False, False]


def test_grants_again_when_the_window_has_passed():
    assert replay(2, 10.0, [0.0, 5.0, 9.0, 10.0, 14.0, 15.0]) == [0.0, 5.0, 10.0, 15.0]


def test_says_when_to_come_back():
    limiter = SlidingWindowLimiter(1, 10.0)
    limiter.allow(3.0)
    assert limiter.retry_after_s(5.0) == pytest.approx(8.0)
    assert limiter.remaining(5.0) == 0


def test_keys_do_not_share_a_window():
    limiter = KeyedLimiter(1, 10.0, max_keys=2)
    assert [limiter.allow(key, 0.0) for key in "aabbc"] == [True, False, True, False, True]
    assert len(limiter) == 2


def test_many_threads_get_no_more_than_the_limit():
    limiter, granted = SlidingWindowLimiter(50, 60.0), []
    threads = [threading.Thread(target=lambda: granted.append(limiter.allow(1.0))) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(granted) == 50


@pytest.mark.parametrize(("limit", "window_s"), [(0, 1.0), (-1, 1.0), (1, 0.0), (1, float("nan"))])
def test_wrong_limits_are_refused(limit, window_s):
    with pytest.raises(ValueError):
        SlidingWindowLimiter(limit, window_s)
