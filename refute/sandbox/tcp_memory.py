"""A limit on socket buffers, where the container's own memory limit does not count them.

Control groups v1 count TCP buffers apart, without a limit of their own: measured on 22 November 2026, 2,700 loopback
connections inside a container held 2.2 GB beside its memory limit, which was all that the host's `tcp_mem` grants, the
host's own connections included. Runc ignores the API's `KernelMemoryTCP` since 1.0.0-rc94, so the file is written here
(https://docs.kernel.org/admin-guide/cgroup-v1/memory.html). With version 2 the buffers are memory like any other.
"""

from pathlib import Path
from typing import Final

from refute.sandbox.evidence import control_groups
from refute.sandbox.job import MEBIBYTE

TCP_BYTES: Final = 64 * MEBIBYTE
LIMIT_FILE: Final = "memory.kmem.tcp.limit_in_bytes"


def limit_tcp_memory(pid: int, container: str, *, root: Path = Path("/")) -> bool:
    """Limit a started container's TCP buffers, before anything of the job runs.

    Args:
        pid: of its PID 1, as the engine sees it.
        container: its full id.
        root: where `/proc` and `/sys` lie.

    Returns:
        Whether a limit was written. False on version 2, without root, and where the engine is on another machine.
    """
    memory = control_groups(pid, container, root=root).get("memory")
    if memory is None:
        return False
    try:
        with (memory / LIMIT_FILE).open("r+") as file:
            file.write(str(TCP_BYTES))
    except OSError:
        return False
    return True
