"""Container runtimes besides runc: what each needs said differently, and which limits it really enforces.

gVisor's runsc puts a kernel of its own between a job and the host's. It rejects directories among the masked paths
(none of them exists inside), does not apply the seccomp list to the job (its own kernel answers the calls), and where
it is registered with `--ignore-cgroups` it enforces no limit of memory or processes, whatever the engine says. So they
are tried out, in a container, before anything is claimed (https://gvisor.dev/docs/user_guide/install/, 2026-11-22).
"""

from collections.abc import Callable, Sequence
from typing import Final

from refute.errors import SandboxFailed
from refute.sandbox.job import MEBIBYTE, Exited, Job, JobResult, Limit, LimitReached, Limits

PLAIN: Final = frozenset({"", "runc", "crun", "io.containerd.runc.v2"})
"""Runtimes whose limits are the kernel's control groups; the engine says whether it has those."""
DIRECTORIES: Final = frozenset(
    {
        "/dev/mqueue",
        "/proc/acpi",
        "/proc/asound",
        "/proc/scsi",
        "/sys/block",
        "/sys/devices/virtual/powercap",
        "/sys/firmware",
        "/sys/kernel",
    }
)
"""Masked paths that are directories."""

MEMORY_BYTES: Final = 64 * MEBIBYTE
PIDS: Final = 32
PROBE: Final = f"""
import os, sys, time
children = []
try:
    for _ in range({2 * PIDS}):
        child = os.fork()
        if not child:
            time.sleep(60)
            os._exit(0)
        children.append(child)
except OSError:
    pass
else:
    print("pids", flush=True)
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)
child = os.fork()
if not child:
    try:
        block = bytearray({3 * MEMORY_BYTES})
        block[::4096] = b"x" * len(block[::4096])
    except MemoryError:
        os._exit(1)
    os._exit(0)
if os.waitpid(child, 0)[1] == 0:
    print("memory", flush=True)
"""
"""Prints the names of the limits that it went beyond unhindered."""


def is_gvisor(runtime: str) -> bool:
    """Whether an engine's runtime is gVisor, by its usual names (`runsc`, `runsc-kvm`, `gvisor`)."""
    return "runsc" in runtime or "gvisor" in runtime.lower()


def masked_paths(paths: Sequence[str], runtime: str) -> list[str]:
    """The masked paths as far as a runtime takes them."""
    return [path for path in paths if not (is_gvisor(runtime) and path in DIRECTORIES)]


def unenforced_limits(run: Callable[[Job], JobResult], image_id: str) -> tuple[str, ...]:
    """Try out which limits are not enforced.

    Args:
        run: runs a job under the runtime.
        image_id: of the sandbox image.

    Returns:
        Some of `memory`, `pids`.

    Raises:
        SandboxFailed: the trial itself failed, so nothing can be said.
    """
    job = Job(
        name="probe",
        run_id="probe",
        ticket_id="probe",
        image_id=image_id,
        command=("python3", "-I", "-c", PROBE),
        workspace=b"",
        limits=Limits(timeout_s=60, memory_bytes=MEMORY_BYTES, pids=PIDS, cpus=1),
    )
    result = run(job)
    match result.end:
        case Exited(code=0):
            return tuple(name for name in ("memory", "pids") if name in result.stdout.split())
        case LimitReached(limit=Limit.MEMORY | Limit.PIDS):  # the limit took the trial with it: it is enforced
            return tuple(name for name in ("pids",) if name in result.stdout.split())
        case _:
            raise SandboxFailed(
                f"the limits of this runtime could not be tried out: {result.end}; {result.stderr[-300:].strip()}",
                hint="Look at the engine's log, or leave the setting `runtime` empty.",
            )
