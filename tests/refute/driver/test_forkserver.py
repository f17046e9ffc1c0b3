"""A fork server makes workers as long as somebody asks, whatever the implementation does to it."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from refute.driver import child
from refute.driver.child import DESCRIPTORS, ForkServer

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ForkServer]:
    made = ForkServer(dict(os.environ), str(tmp_path), draws=False)
    yield made
    for pid in made.spared:
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def descriptors() -> Iterator[tuple[int, ...]]:
    ends = [end for _ in range(DESCRIPTORS) for end in os.pipe()]
    yield tuple(ends[1::2])
    for end in ends:
        os.close(end)


def test_it_tells_how_a_worker_ended(server: ForkServer, descriptors: tuple[int, ...]) -> None:
    pid = server.fork(descriptors)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert server.hear(10.0) == (pid, -signal.SIGKILL)


def test_the_end_of_one_that_was_not_waited_for_is_not_taken_for_the_next(
    server: ForkServer, descriptors: tuple[int, ...]
) -> None:
    first = server.fork(descriptors)
    assert first is not None
    os.kill(first, signal.SIGKILL)
    second = server.fork(descriptors)
    assert second not in {None, first, -signal.SIGKILL}
    os.kill(second or 0, signal.SIGKILL)
    assert server.hear(10.0) == (second, -signal.SIGKILL)


def test_signals_that_everybody_gets_do_not_end_it(server: ForkServer, descriptors: tuple[int, ...]) -> None:
    for number in (signal.SIGINT, signal.SIGALRM, signal.SIGUSR1):
        pid = server.fork(descriptors)
        assert pid is not None
        (before,) = server.spared
        os.kill(before, number)
        os.kill(pid, signal.SIGKILL)
        assert server.hear(10.0) == (pid, -signal.SIGKILL)
        assert server.spared == (before,)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_one_that_was_killed_or_stopped_is_replaced(
    server: ForkServer, descriptors: tuple[int, ...], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = server.fork(descriptors)
    assert first is not None
    (before,) = server.spared
    os.kill(before, number)
    os.kill(first, signal.SIGKILL)
    monkeypatch.setattr(child, "BIRTH_S", 15.0)
    second = server.fork(descriptors)
    assert second not in {None, first}
    assert server.spared != (before,)
    os.kill(second or 0, signal.SIGKILL)
