"""Container runtimes besides runc: what each needs said differently, and which limits it really enforces.

gVisor's runsc puts a kernel of its own between a job and the host's. It rejects directories among the masked paths
(none of them exists inside), does not apply the seccomp list to the job (its own kernel answers the calls), and where
it is registered with `--ignore-cgroups` it enforces no limit of memory or processes, whatever the engine says. So they
are tried out, in a container, before anything is claimed (https://gvisor.dev/docs/user_guide/install/, 2026-11-22).
"""

from collections.abc import Callable, Sequence
from typing import Final

from refute.errors import SandboxFailed
from refute.sandbox.job import MEBIBYTE, Exited, Job, JobResult, LimitReached, Limits

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

TRIED: Final = ("memory", "pids", "seccomp")
"""What is tried out: the limits of memory and processes, and the list of system calls."""
MEMORY_BYTES: Final = 192 * MEBIBYTE
PIDS: Final = 96
"""gVisor's own kernel runs within the limits too, and does not start with much less."""
PROBE: Final = f"""
import ctypes, os, sys, time
def tell(name, enforced):
    print(name, "enforced" if enforced else "missing", flush=True)
tell("seccomp", ctypes.CDLL(None).unshare(0) != 0)
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
tell("pids", len(children) < {2 * PIDS})
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)
child = os.fork()
if not child:
    try:
        block = bytearray({2 * MEMORY_BYTES})
        block[::4096] = b"x" * len(block[::4096])
    except MemoryError:
        os._exit(1)
    os._exit(0)
tell("memory", os.waitpid(child, 0)[1] != 0)
"""
"""Prints for each name whether it felt it; `unshare` is a call that the list refuses and every kernel has."""


def is_gvisor(runtime: str) -> bool:
    """Whether an engine's runtime is gVisor, by its usual names (`runsc`, `runsc-kvm`, `gvisor`)."""
    return "runsc" in runtime or "gvisor" in runtime.lower()


def masked_paths(paths: Sequence[str], runtime: str) -> list[str]:
    """The masked paths as far as a runtime takes them."""
    return [path for path in paths if not (is_gvisor(runtime) and path in DIRECTORIES)]


def unenforced_limits(run: Callable[[Job], JobResult], image_id: str) -> tuple[str, ...]:
    """Try out what is not enforced.

    Args:
        run: runs a job under the runtime.
        image_id: of the sandbox image.

    Returns:
        Some of `TRIED`.

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
    told = dict(line.split(" ", 1) for line in result.stdout.splitlines() if " " in line)
    if isinstance(result.end, LimitReached):  # the limit took the trial with it before it could say so
        told.setdefault(result.end.limit.value, "enforced")
    elif result.end != Exited(code=0):
        told = {}
    if set(told) != set(TRIED):
        raise SandboxFailed(
            f"the limits of this runtime could not be tried out: {result.end}; {result.stderr[-300:].strip()}",
            hint="Look at the engine's log, or leave the setting `runtime` empty.",
        )
    return tuple(name for name in TRIED if told[name] != "enforced")


def in_words(unenforced: Sequence[str]) -> str:
    """For people: `the memory limit and the list of system calls`."""
    words = {"seccomp": "the list of system calls"}
    return " and ".join(words.get(name, f"the {name} limit") for name in unenforced)
