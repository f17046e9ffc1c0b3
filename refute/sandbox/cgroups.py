"""A container's control groups, where it runs on this machine: what they count, and a limit that no engine sets.

Version 1 counts TCP buffers apart from memory, without a limit of their own: measured on 22 November 2026, 2,700
loopback connections inside a container held 2.2 GB beside its memory limit, which was all that the host's `tcp_mem`
grants, the host's own connections included. Runc ignores the API's `KernelMemoryTCP` since 1.0.0-rc94, so the file is
written here (https://docs.kernel.org/admin-guide/cgroup-v1/memory.html). With version 2 the buffers are memory like any
other.
"""

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from refute.sandbox.job import MEBIBYTE

CGROUPS: Final = Path("/sys/fs/cgroup")
TCP_BYTES: Final = 64 * MEBIBYTE
TCP_LIMIT_FILE: Final = "memory.kmem.tcp.limit_in_bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What the container's control groups counted; None where this process cannot see them (a remote engine)."""

    out_of_memory_kills: int | None = None
    forks_refused: int | None = None
    processes: int | None = None


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


def limit_tcp_memory(pid: int, container: str, *, root: Path = Path("/")) -> None:
    """Limit a started container's TCP buffers, before anything of the job runs.

    Nothing is written on version 2, without root, and where the engine is on another machine.

    Args:
        pid: of its PID 1, as the engine sees it.
        container: its full id.
        root: where `/proc` and `/sys` lie.
    """
    memory = control_groups(pid, container, root=root).get("memory")
    with contextlib.suppress(OSError):
        if memory is not None:
            with (memory / TCP_LIMIT_FILE).open("r+") as file:
                file.write(str(TCP_BYTES))


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
