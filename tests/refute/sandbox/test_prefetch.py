import concurrent.futures.thread
import time
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Thread
from typing import Any, cast

import pytest

from refute.sandbox.prefetch import Prefetch
from refute.sandbox.ready_container import ReadyContainer, shape
from refute.sandbox.watch import Event, Signals
from tests.fakes.jobs import bash_job


def ready(name: str, *, usable_s: float = 60.0) -> ReadyContainer:
    signals: Signals = SimpleQueue()
    until = time.monotonic() + usable_s
    return ReadyContainer(client=cast("Any", None), name=name, container=name, signals=signals, usable_until=until)


class Removed(list[str]):
    """Names of what was removed."""

    def __call__(self, one: ReadyContainer) -> None:
        self.append(one.name)


@pytest.fixture
def removed() -> Removed:
    return Removed()


@pytest.fixture
def executor():
    with ThreadPoolExecutor(1) as made:
        yield made


@pytest.fixture
def prefetch(executor, removed) -> Prefetch:
    return Prefetch(executor, removed)


def test_each_container_is_taken_once(prefetch, removed):
    prefetch.prepare("shape", lambda: ready("one"))
    assert prefetch.take("other shape") is None
    assert prefetch.take("shape").name == "one"
    assert prefetch.take("shape") is None
    assert removed == []


def test_one_that_waited_too_long_or_ended_is_removed_and_not_used(prefetch, executor, removed):
    ended = ready("ended")
    ended.signals.put(Event.OUT_OF_MEMORY)
    ended.signals.put(Event.CONTAINER_ENDED)
    prefetch.prepare("shape", lambda: ready("late", usable_s=-1))
    prefetch.prepare("shape", lambda: ended)
    assert prefetch.take("shape") is None
    executor.shutdown(wait=True)
    assert sorted(removed) == ["ended", "late"]


def test_what_nobody_took_is_removed(prefetch, removed):
    prefetch.prepare("shape", lambda: ready("one"))
    prefetch.discard_later()
    prefetch.prepare("shape", lambda: ready("two"))
    prefetch.discard()
    assert sorted(removed) in (["one", "two"], ["one"])  # the second may not have been begun
    assert prefetch.take("shape") is None


def test_after_the_end_of_the_background_it_removes_at_once_and_prepares_nothing(removed):
    executor = ThreadPoolExecutor(1)
    prefetch = Prefetch(executor, removed)
    prefetch.prepare("shape", lambda: ready("one"))
    executor.shutdown(wait=True)
    prefetch.prepare("shape", lambda: ready("two"))
    prefetch.discard_later()
    assert removed == ["one"]


def test_one_that_takes_too_long_is_removed_when_it_is_there_at_last(removed, monkeypatch):
    monkeypatch.setattr("refute.sandbox.prefetch.PREPARING_S", 0.01)
    future: Future[ReadyContainer] = Future()

    class Slow(ThreadPoolExecutor):
        def submit(self, call: Any, *args: Any, **_: Any) -> Any:
            return call(*args) if args else future

    prefetch = Prefetch(Slow(1), removed)
    prefetch.prepare("shape", lambda: ready("never called"))
    assert prefetch.take("shape") is None
    future.set_result(ready("late"))
    assert removed == ["late"]


def test_the_shape_tells_apart_what_a_container_depends_on():
    plain = shape(bash_job("true"))
    assert shape(bash_job("false", files={"b.py": b""}, environment={"A": "1"})) == plain
    assert shape(bash_job("true", limits={"memory_bytes": 64 * 1024**2})) != plain
    assert shape(bash_job("true", image_id="sha256:1")) != plain
    assert shape(bash_job("true", run_id="run-2")) != plain
    assert shape(bash_job("true", attack_files={"plan": b""})) != plain


def test_the_garbage_collector_never_waits_for_a_thread_that_submits_something(executor, removed):
    prefetch = Prefetch(executor, removed)
    prefetch.prepare("key", lambda: ready("c1"))
    assert prefetch.take("key") is not None
    with concurrent.futures.thread._global_shutdown_lock:
        collected = Thread(target=prefetch.discard_later, daemon=True)
        collected.start()
        collected.join(timeout=10)
        assert not collected.is_alive()
