import os
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from refute.driver import processes
from refute.driver.processes import Usage, descendants, starved, usage


@pytest.mark.parametrize(
    ("now", "expected"),
    [(Usage(3.0, runnable=True), True), (Usage(3.0, runnable=False), False), (Usage(19.0, runnable=True), False)],
    ids=["wanted to run and could not", "waited for something", "ran all the time"],
)
def test_only_a_process_that_could_not_run_is_starved(now: Usage, *, expected: bool) -> None:
    assert starved(Usage(1.0, runnable=True), now, 20.0) is expected


def test_the_use_of_a_process_is_read_and_of_a_dead_one_is_nothing() -> None:
    assert usage(os.getpid()).cpu_s > 0
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert usage(ended.pid) == Usage(0.0, runnable=False)


def test_children_of_children_are_descendants() -> None:
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) as child:
        try:
            found: list[int] = []
            while len(found) < 2 and child.poll() is None:
                found = [pid for pid in descendants(os.getpid()) if pid == child.pid or pid in descendants(child.pid)]
            assert child.pid in found
        finally:
            child.communicate(b"\n")


LEADERLESS = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).syscall(60, 0)
"""
"""Its first thread ends by the call `exit` of x86-64, the other one goes on: it is shown as a zombie."""


def test_a_process_whose_first_thread_has_ended_is_a_living_descendant() -> None:
    with subprocess.Popen([sys.executable, "-c", LEADERLESS]) as child:
        try:
            deadline = time.monotonic() + 300
            while b") Z " not in Path(f"/proc/{child.pid}/stat").read_bytes() and time.monotonic() < deadline:
                time.sleep(0.01)
            assert child.pid in descendants(os.getpid())
        finally:
            child.kill()
    assert child.pid not in descendants(os.getpid())


def test_a_process_that_has_ended_and_is_not_waited_for_is_none() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    try:
        deadline = time.monotonic() + 300
        while b") Z " not in Path(f"/proc/{child.pid}/stat").read_bytes() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert child.pid not in descendants(os.getpid())
    finally:
        child.wait()


@pytest.mark.parametrize(("born", "gone"), [(lambda _: 7, True), (lambda look: look, False)], ids=["slow", "forking"])
def test_what_takes_long_to_die_is_waited_for_and_what_goes_on_forking_is_not(
    monkeypatch: pytest.MonkeyPatch, born: Callable[[int], int], *, gone: bool
) -> None:
    looks = iter(range(3_000))
    monkeypatch.setattr(processes, "PAUSE_S", 0)
    monkeypatch.setattr(processes, "_below_us", lambda: [born(look) for look in islice(looks, 1)])
    monkeypatch.setattr(processes, "_reap", lambda: (next(looks, None) is None, 0))
    monkeypatch.setattr(os, "kill", lambda *_: None)
    assert processes.kill_descendants() is gone
