"""Why a command failed: which limit it hit, from what the kernel and the file systems say, not from what it printed.

A limit is named only where the command failed, because a program may hit a limit, handle it and be right.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from refute.sandbox.job import GIBIBYTE, MEBIBYTE, Exited, Limit, LimitReached, Limits
from refute.sandbox.readback import WorkspaceState

CGROUPS: Final = Path("/sys/fs/cgroup")
FULL_BELOW: Final = 0.01
"""A file system with less than this fraction free counts as full: a failed large write leaves some pages."""
PIDS_STILL_FULL: Final = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What the container's control groups counted; None where this process cannot see them (a remote engine)."""

    out_of_memory_kills: int | None = None
    forks_refused: int | None = None
    processes: int | None = None


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


def read_counters(pid: int, container: str, *, root: Path = Path("/")) -> Counters:
    """The counters of a container's control groups, versions 1 and 2, where they can be read from here.

    Args:
        pid: of the container's PID 1, as the engine sees it.
        container: its id; the control group's name must hold it, or `pid` is one of another machine.
        root: where `/proc` and `/sys` lie.
    """
    groups = control_groups(pid, container, root=root)
    return Counters(
        out_of_memory_kills=_counter(groups.get("memory"), ("memory.events", "memory.oom_control"), "oom_kill"),
        forks_refused=_counter(groups.get("pids"), ("pids.events",), "max"),
        processes=_number(groups.get("pids"), "pids.current"),
    )


def control_groups(pid: int, container: str, *, root: Path = Path("/")) -> Mapping[str, Path]:
    """Controller → folder of a container's control group; empty where its processes are none of this machine.

    Args:
        pid: of the container's PID 1, as the engine sees it.
        container: its id; the control group's name must hold it, or `pid` is one of another machine.
        root: where `/proc` and `/sys` lie.
    """
    try:
        return _groups((root / f"proc/{pid}/cgroup").read_text(), container, root / CGROUPS.relative_to("/"))
    except OSError:
        return {}


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


def _groups(table: str, container: str, base: Path) -> Mapping[str, Path]:
    """Controller → folder, from `/proc/<pid>/cgroup` (https://docs.kernel.org/admin-guide/cgroup-v2.html)."""
    groups: dict[str, Path] = {}
    for line in table.splitlines():
        _, controllers, path = line.split(":", 2)
        if container not in path:
            continue
        for controller in controllers.split(",") if controllers else ("memory", "pids"):
            folder = base / controller / path.lstrip("/") if controllers else base / path.lstrip("/")
            groups.setdefault(controller, folder)
    return groups


def _counter(folder: Path | None, files: tuple[str, ...], key: str) -> int | None:
    for file in files if folder else ():
        try:
            text = (folder / file).read_text() if folder else ""
        except OSError:
            continue
        if found := re.search(rf"^{key} (\d+)$", text, re.MULTILINE):
            return int(found[1])
    return None


def _number(folder: Path | None, file: str) -> int | None:
    try:
        return int((folder / file).read_text()) if folder else None
    except (OSError, ValueError):
        return None
