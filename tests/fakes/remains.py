"""What an engine of a test's own would leave on this machine: processes, mounts, groups, namespaces, its folder.

A note in its folder says whose it is, so that the next one can clear away after a process that was killed.
"""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.fakes.fence import Fence

NOTE: Final = "owner.json"
NAMESPACES: Final = "namespaces"
"""The file with the names of an engine's network namespaces."""


@contextlib.contextmanager
def noted_folder(prefix: str) -> Iterator[Path]:
    """A temporary folder that is cleared away even where something is still mounted in it.

    Args:
        prefix: of its name; folders of the same prefix whose owner has ended are cleared away first.
    """
    for old in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        if not _is_owned(old):
            clear(old)
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    note(folder, ())
    try:
        yield folder
    finally:
        clear(folder)


def note(folder: Path, groups: tuple[Path, ...]) -> None:
    """Write down whose folder it is, and in which control groups its processes are."""
    pid = os.getpid()
    told = {"pid": pid, "started": _started(pid), "groups": [str(group) for group in groups]}
    (folder / NOTE).write_text(json.dumps(told))


def read_groups(folder: Path) -> str:
    """The control groups of a folder's processes, as one text."""
    return os.pathsep.join(_told(folder)["groups"])


def clear(folder: Path) -> None:
    """Kill what is left in the folder's control groups, and undo and delete all that lies in it."""
    told = _told(folder)
    Fence(tuple(map(Path, told.get("groups", ())))).end()
    with contextlib.suppress(FileNotFoundError):
        for name in (folder / NAMESPACES).read_text().split():
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)  # gone where it ended well
    unmount_below(folder)
    shutil.rmtree(folder)


def unmount_below(folder: Path) -> None:
    """Unmount everything below a folder, the innermost first."""
    for mount in sorted(mounts_below(folder), reverse=True):
        subprocess.run(["umount", "--lazy", mount], check=False, capture_output=True)


def mounts_below(folder: Path) -> list[str]:
    """Where something is mounted below a folder."""
    lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    points = [line.split()[4].encode().decode("unicode_escape") for line in lines]
    return [point for point in points if point.startswith(f"{folder}/")]


def _is_owned(folder: Path) -> bool:
    """Whether the process that made a folder still runs; one without a note is somebody else's matter."""
    told = _told(folder)
    return not told or _started(told["pid"]) == told["started"]


def _told(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / NOTE).read_text())
    except (OSError, ValueError):
        return {}
    return found


def _started(pid: int) -> int | None:
    """When a process started, in the kernel's ticks: with its number, no other process is meant."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return None
