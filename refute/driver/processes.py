"""The supervisor's hold on its processes: nobody reads its memory, and no descendant outlives a worker."""

import contextlib
import ctypes
import functools
import os
import signal
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_GET_CHILD_SUBREAPER = 37
"""Numbers from linux/prctl.h (https://man7.org/linux/man-pages/man2/prctl.2.html, 2026-11)."""
UTIME, STIME, THREADS = 11, 12, 17
"""Places behind a process's name in `/proc/<pid>/stat`, after its state and its parent (proc(5), 2026-11)."""
ROUNDS = 1_000
"""Times that descendants not seen before are killed before giving up; a fork bomb needs several: it forks meanwhile."""
DYING_S = 30.0
"""What is killed may wait as long for a processor that lets it die."""
PAUSE_S = 0.002
LOOKS = 20
"""Times in a row that nothing is found where orphans are not ours."""
QUIET = 3
"""Times in a row that nothing is found, nor has ended, where a child of ours goes on."""


def protect_supervisor() -> None:
    """Make this process unreadable to others of its user, and the parent of every orphan below it where it can be.

    Raises:
        OSError: the kernel refused.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for option, value in ((PR_SET_DUMPABLE, 0), *([(PR_SET_CHILD_SUBREAPER, 1)] if adopts_orphans() else [])):
        if libc.prctl(option, value, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), f"prctl({option}, {value}) was refused")


@functools.cache
def adopts_orphans() -> bool:
    """Whether a process can be the parent of its descendants' orphans; gVisor of 2022 gives them to PID 1."""
    refused: int = ctypes.CDLL(None).prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(ctypes.c_int()), 0, 0, 0)
    return refused == 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What the scheduler gave a process so far."""

    cpu_s: float
    runnable: bool
    """It runs, or waits for nothing but a processor."""


def usage(*pids: int) -> Usage:
    """The use of processors by processes together; those that are gone add nothing."""
    ticks, runnable = 0, False
    for fields in filter(None, map(_stat, pids)):
        ticks += int(fields[UTIME]) + int(fields[STIME])
        runnable = runnable or fields[0] == b"R"
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), runnable=runnable)


def starved(before: Usage, now: Usage, limit_s: float) -> bool:
    """Whether processes want to run and had a processor for less than half of a limit: the machine is slow."""
    return now.runnable and now.cpu_s - before.cpu_s < limit_s / 2


def descendants(root: int) -> list[int]:
    """Process ids below `root`; those that have ended and wait for their parent are left out.

    Only the tree below us is ever killed: outside the container, in tests, other processes are none of our business.
    """
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        fields = _stat(int(entry.name)) if entry.name.isdigit() else []
        # One whose first thread alone has ended looks like a zombie, and its other threads go on.
        if fields and (fields[0] != b"Z" or int(fields[THREADS]) > 1):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found, queue = [], [root]
    while queue:
        below = children.get(queue.pop(), [])
        found.extend(below)
        queue.extend(below)
    return found


def kill_descendants(spared: Collection[int] = ()) -> bool:
    """Kill and reap everything below this process; whether nothing is left."""
    clean, rounds, seen = 0, 0, set[int]()
    give_up = time.monotonic() + DYING_S
    while rounds < ROUNDS and time.monotonic() < give_up:
        found = [pid for pid in _below_us() if pid not in spared]
        rounds += not seen.issuperset(found)
        seen.update(found)
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        childless, reaped = _reap()
        clean = 0 if found or reaped else clean + 1
        # Whoever forks and ends all the time is missed by a look at them one by one; its last is always our child,
        # or PID 1's, where one has to look often. Beside a child that is spared, those that have ended are seen.
        quiet = QUIET if adopts_orphans() else LOOKS
        if (childless and (adopts_orphans() or clean == LOOKS)) or (spared and clean == quiet):
            return True
        time.sleep(PAUSE_S)
    return False


def _below_us() -> list[int]:
    """All that this process or its descendants started. Where orphans go to PID 1, theirs are all that it has."""
    ours = os.getpid()
    adopted = [] if adopts_orphans() else [pid for pid in descendants(1) if pid != ours]
    return [*descendants(ours), *adopted]


def _stat(pid: int) -> list[bytes]:
    """What `/proc/<pid>/stat` says behind the name, which may hold parentheses and spaces; nothing where it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
    return fields if len(fields) > THREADS else []


def _reap() -> tuple[bool, int]:
    """Reap every child that has ended; whether none is left, living or dead, and how many had ended."""
    reaped = 0
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            reaped += 1
    except ChildProcessError:
        return True, reaped
    return False, reaped
