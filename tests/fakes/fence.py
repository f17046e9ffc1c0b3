"""A fence around processes of a test that may take too much: a control group of this machine, version 1 or 2."""

import contextlib
import os
import signal
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
EMPTY_WITHIN_S = 30.0


@dataclass(frozen=True, slots=True)
class Fence:
    """Control groups that limit whatever is in them."""

    groups: tuple[Path, ...]

    @property
    def words(self) -> list[str]:
        """Words before a command that put it into the groups first."""
        joins = "; ".join(f"echo $$ > {group}/cgroup.procs" for group in self.groups)
        return ["sh", "-ec", f'{joins}; exec "$@"', "sh"]

    def processes(self) -> set[int]:
        """The numbers of all processes that are in it, whoever their parent is."""
        found: set[int] = set()
        for group in self.groups:
            with contextlib.suppress(OSError):
                found |= {int(line) for line in (group / "cgroup.procs").read_text().split()}
        return found

    def end(self) -> None:
        """Kill what is left in it, and remove it.

        Raises:
            OSError: something in it does not end.
        """
        deadline = time.monotonic() + EMPTY_WITHIN_S
        for group in self.groups:
            while group.is_dir():
                kill(self.processes())
                try:
                    group.rmdir()
                except OSError:  # something in it is just ending
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.2)


def kill(processes: Sequence[int] | set[int]) -> None:
    """Kill processes by their numbers."""
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def fence(*, memory_bytes: int, pids: int) -> Iterator[Fence]:
    """A fence; nothing that was in it outlives it.

    Args:
        memory_bytes: what all that is in it may hold together.
        pids: processes and threads at once.
    """
    name = f"refute-{uuid.uuid4().hex[:8]}"
    made = Fence(
        _version_1(name, memory_bytes, pids) if (ROOT / "pids").is_dir() else _version_2(name, memory_bytes, pids)
    )
    try:
        yield made
    finally:
        made.end()


def _version_1(name: str, memory_bytes: int, pids: int) -> tuple[Path, ...]:
    memory, processes = ROOT / "memory" / name, ROOT / "pids" / name
    memory.mkdir()
    processes.mkdir()
    (memory / "memory.limit_in_bytes").write_text(str(memory_bytes))
    (processes / "pids.max").write_text(str(pids))
    return memory, processes


def _version_2(name: str, memory_bytes: int, pids: int) -> tuple[Path, ...]:
    group = ROOT / name
    group.mkdir()
    (group / "memory.max").write_text(str(memory_bytes))
    (group / "pids.max").write_text(str(pids))
    return (group,)
