"""A fence around processes of a test that may take too much: a control group of this machine, version 1 or 2."""

import contextlib
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
EMPTY_WITHIN_S = 30.0


@contextlib.contextmanager
def fence(*, memory_bytes: int, pids: int) -> Iterator[list[str]]:
    """Words to put before a command, so that it and all its children together get no more than this.

    Args:
        memory_bytes: what they may hold.
        pids: processes and threads at once.
    """
    name = f"refute-{uuid.uuid4().hex[:8]}"
    groups = _version_1(name, memory_bytes, pids) if (ROOT / "pids").is_dir() else _version_2(name, memory_bytes, pids)
    try:
        yield enter(groups)
    finally:
        for group in groups:
            _remove(group)


def enter(groups: Sequence[Path]) -> list[str]:
    """Words before a command that put it into the groups first."""
    joins = "; ".join(f"echo $$ > {group}/cgroup.procs" for group in groups)
    return ["sh", "-ec", f'{joins}; exec "$@"', "sh"]


def _version_1(name: str, memory_bytes: int, pids: int) -> list[Path]:
    memory, processes = ROOT / "memory" / name, ROOT / "pids" / name
    memory.mkdir()
    processes.mkdir()
    (memory / "memory.limit_in_bytes").write_text(str(memory_bytes))
    (processes / "pids.max").write_text(str(pids))
    return [memory, processes]


def _version_2(name: str, memory_bytes: int, pids: int) -> list[Path]:
    group = ROOT / name
    group.mkdir()
    (group / "memory.max").write_text(str(memory_bytes))
    (group / "pids.max").write_text(str(pids))
    return [group]


def _remove(group: Path) -> None:
    deadline = time.monotonic() + EMPTY_WITHIN_S
    while True:
        try:
            group.rmdir()
        except OSError:  # something in it is just ending
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return
