"""Processes that end with who started them, also when that is killed; and a worker's runs, which end before it."""

import contextlib
import ctypes
import functools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from flows.orchestrator.server import checkout

RUNS_END_S: Final = 90.0
"""How long the worker's runs may take to remove their containers and give back what is unfinished."""
POLL_S: Final = 0.2
PR_SET_PDEATHSIG: Final = 1
"""Of prctl(2): which signal a process gets when its parent dies."""


def start_process(
    command: list[str], environment: dict[str, str], log: Path, *, pass_fds: Sequence[int] = ()
) -> "subprocess.Popen[bytes]":
    """Start a module of this Python, out of the reach of the terminal's Ctrl-C, but not of our end.

    Args:
        command: module and arguments.
        environment: all of it.
        log: what it prints is added there.
        pass_fds: descriptors that it gets.
    """
    prctl = ctypes.CDLL(None).prctl
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603  # fixed commands
            [sys.executable, "-m", *command],
            env=environment,
            cwd=checkout(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            pass_fds=pass_fds,
            preexec_fn=functools.partial(prctl, PR_SET_PDEATHSIG, signal.SIGTERM),  # noqa: PLW1509  # one C call
        )


def end_runs(worker_pid: int) -> None:
    """Ask the worker's runs to end, which keeps what is done; a worker that ends by itself leaves them running.

    Args:
        worker_pid: each of its children is the process of a flow run.
    """
    asked: set[int] = set()
    deadline = time.monotonic() + RUNS_END_S
    while (runs := children(worker_pid)) and time.monotonic() < deadline:
        for pid in runs - asked:  # it may begin another one meanwhile
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        asked |= runs
        time.sleep(POLL_S)


def children(pid: int) -> set[int]:
    """The children of a process that have not ended (proc(5): /proc/PID/stat, fields 3 and 4)."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.add(int(stat.parent.name))
    return found
