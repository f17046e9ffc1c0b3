"""Why a command failed: which limit it hit, from what the kernel and the file systems say, not from what it printed.

A limit is named only where the command failed, because a program may hit a limit, handle it and be right.
"""

import os
from dataclasses import dataclass
from typing import Final

from refute.sandbox.cgroups import Counters
from refute.sandbox.job import GIBIBYTE, MEBIBYTE, Exited, Limit, LimitReached, Limits
from refute.sandbox.readback import WorkspaceState

FULL_BELOW: Final = 0.01
"""A file system with less than this fraction free counts as full: a failed large write leaves some pages."""
PIDS_STILL_FULL: Final = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that is known when the question is asked."""

    exit_code: int
    out_of_memory: bool
    """The engine reported it."""
    counters: Counters
    full: tuple[str, ...] | None
    """File systems found full, in words; None where they cannot be seen: then sizes have to do."""
    workspace: WorkspaceState
    limits: Limits


def judge(facts: Facts) -> Exited | LimitReached:
    """The command's own end, or the limit that explains its failure."""
    limits = facts.limits
    counters = facts.counters
    if facts.exit_code == 0:
        # A fork bomb's shell exits 0 and leaves the bomb running. Refused forks may be unknown (None), but not none.
        many = (counters.processes or 0) >= limits.pids * PIDS_STILL_FULL
        still_full = many and counters.forks_refused != 0
        return _reached(Limit.PIDS, _pids(limits), 0) if still_full else Exited(code=0)
    if facts.out_of_memory or counters.out_of_memory_kills:
        return _reached(Limit.MEMORY, memory_in_words(limits.memory_bytes), facts.exit_code)
    if counters.forks_refused or (counters.processes or 0) >= limits.pids:
        return _reached(Limit.PIDS, _pids(limits), facts.exit_code)
    if disk := _disk(facts):
        return _reached(Limit.DISK, disk, facts.exit_code)
    return Exited(code=facts.exit_code)


def full_mounts(pid: int, mounts: tuple[str, ...]) -> tuple[str, ...] | None:
    """Which of a container's mount points are full, in words; None where this cannot be seen from here (needs root).

    The caller must know that `pid` is of this machine. The mount points lie on a read-only root, so hostile code
    cannot have replaced them.
    """
    try:
        found = [(mount, _full(os.statvfs(f"/proc/{pid}/root{mount}"))) for mount in mounts]
    except OSError:
        return None
    return tuple(f"all {what} of {mount}" for mount, what in found if what)


def memory_in_words(size: int) -> str:
    """`2.0 GiB of memory`."""
    if size >= GIBIBYTE:
        return f"{size / GIBIBYTE:.1f} GiB of memory"
    return f"{size / MEBIBYTE:.0f} MiB of memory"


def _reached(limit: Limit, detail: str, exit_code: int) -> LimitReached:
    return LimitReached(limit=limit, detail=detail, exit_code=exit_code)


def _pids(limits: Limits) -> str:
    return f"{limits.pids} processes and threads"


def _disk(facts: Facts) -> str:
    limits, state = facts.limits, facts.workspace
    if facts.full:
        return " and ".join(facts.full)
    if state.largest_file_bytes == limits.file_bytes:
        return f"{limits.file_bytes // MEBIBYTE} MiB in one file"
    if facts.full is None and state.complete and state.used_bytes >= limits.workspace_bytes * (1 - FULL_BELOW):
        return f"{limits.workspace_bytes // MEBIBYTE} MiB in the workspace"
    return ""


def _full(state: os.statvfs_result) -> str:
    if state.f_blocks > 0 and state.f_bavail <= state.f_blocks * FULL_BELOW:
        return "space"
    if state.f_files > 0 and state.f_ffree <= state.f_files * FULL_BELOW:
        return "inodes"
    return ""
