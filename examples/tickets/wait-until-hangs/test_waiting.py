import threading

import pytest

from waiting import WaitTimeout, retry, wait_for_event, wait_until


def test_returns_what_the_condition_returns():
    values = iter([None, 0, "ready"])
    assert wait_until(lambda: next(values)) == "ready"


def test_event_of_another_thread():
    event = threading.Event()
    threading.Timer(0.05, event.set).start()
    wait_for_event(event)


def test_retry():
    calls = iter([OSError("first"), 42])

    def flaky():
        value = next(calls)
        if isinstance(value, Exception):
            raise value
        return value

    assert retry(flaky, attempts=2) == 42


def test_gives_up_after_the_timeout():
    with pytest.raises(WaitTimeout, match="not true after 0.1 s"):
        wait_until(lambda: False, timeout_s=0.1)
