import pytest

from throttle import Throttle, allowed_times


def test_allows_up_to_limit():
    throttle = Throttle(limit=2, window_s=60)
    assert throttle.allow(0)
    assert throttle.allow(1)
    assert not throttle.allow(2)


def test_window_slides():
    throttle = Throttle(limit=1, window_s=60)
    assert throttle.allow(0)
    assert not throttle.allow(59)
    assert throttle.allow(60)


def test_remaining_and_reset():
    throttle = Throttle(limit=3, window_s=60)
    throttle.allow(0)
    assert throttle.remaining(1) == 2
    throttle.reset()
    assert throttle.remaining(1) == 3


def test_replay_of_a_log():
    assert allowed_times(2, 60, [0, 10, 20, 60]) == [0, 10, 60]


@pytest.mark.parametrize(("limit", "window_s"), [(0, 1), (1, 0), (1, -5)])
def test_invalid_arguments(limit, window_s):
    with pytest.raises(ValueError):
        Throttle(limit, window_s)
