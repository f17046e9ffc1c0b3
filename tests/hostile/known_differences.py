"""What a runtime other than runc does differently, and why that is no fault: the suites ask there for exactly this.

That a behaviour harms neither host nor next job is asserted all the same. Sources:
https://gvisor.dev/docs/architecture_guide/security/ and
https://gvisor.dev/docs/user_guide/compatibility/linux/amd64/, read on 22 November 2026; what is expected was observed
on that day and the next with gVisor of 19 December 2022.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tests.hostile.behaviour import SILENCE
from tests.hostile.difference import NO_VERDICT, Difference

NO_LIMITS: Final = "with --ignore-cgroups nothing counts memory and processes; the sandbox refuses to claim them"
OWN_KERNEL: Final = "the call reaches gVisor's kernel, not the host's: it acts on the sandbox alone"
OWN_FILES: Final = "gVisor shows files of a kernel of its own, with nothing of the host in them"
OWN_STACK: Final = "gVisor's own network stack has no way out either, and says so with another error"
OWN_DISKS: Final = "the file systems are gVisor's own, unseen from outside: a full one shows as the command's failure"


def _unlimited(*ends: str, answers: tuple[str, ...] | None = None) -> Difference:
    return Difference(why=NO_LIMITS, ends=ends, answers=answers)


def _says(why: str, *answers: str, ends: tuple[str, ...] | None = None) -> Difference:
    return Difference(why=why, answers=answers, ends=ends)


_FAILS: Final = Difference(why=OWN_DISKS, ends=("exit 1",))
_UNREACHABLE: Final = _says(OWN_STACK, "EHOSTUNREACH", "ENETUNREACH")
_ALLOWED: Final = _says(OWN_KERNEL, "allowed")
_INVALID: Final = _says(OWN_KERNEL, "EINVAL")
_MIXED: Final = _says(OWN_KERNEL, "EINVAL", "ENOSYS", "EPERM", "allowed")

_RUNSC: Final[Mapping[str, Difference]] = MappingProxyType(
    {
        "fork-bomb": _unlimited(NO_VERDICT, "timed out"),
        "fork-bomb-left-behind": _unlimited(NO_VERDICT, "timed out", "exit 0"),
        "fork-bomb-handled": _unlimited(NO_VERDICT, "timed out", answers=SILENCE),
        "thread-bomb": _unlimited(NO_VERDICT, "timed out", "exit 139"),
        "zombies": _unlimited(NO_VERDICT, "timed out", answers=SILENCE),
        "allocation": _unlimited("exit 0"),
        "allocation-shared": _unlimited("exit 0"),
        "allocation-memfd": _unlimited("exit 0"),
        "allocation-by-a-child": _unlimited("exit 0", answers=("1",)),
        "memory-by-files": _unlimited("disk"),
        "memory-by-unix-sockets": _unlimited("exit 0"),
        "memory-by-tcp": _unlimited("exit 1", answers=SILENCE),
        "memory-by-udp": _unlimited("exit 1", answers=SILENCE),
        "page-tables": _unlimited("exit 0", "memory", "timed out"),
        "fill-tmp": _FAILS,
        "fill-shm": _FAILS,
        "fill-home": _FAILS,
        "inodes-workspace": _FAILS,
        "inodes-tmp": Difference(why=OWN_DISKS, ends=("exit 1", "timed out")),
        "fill-by-a-nameless-file": _FAILS,
        "tcp-out": _UNREACHABLE,
        "udp-out": _UNREACHABLE,
        "ipv6-out": _UNREACHABLE,
        "cloud-metadata": _UNREACHABLE,
        "nested-directories": _says(
            "gVisor's file server holds a descriptor for each directory, and has no more", *SILENCE, ends=("exit 1",)
        ),
        "negative-names": Difference(
            why="each look-up goes through gVisor's file server, which takes longer than the job's time",
            ends=("exit 0", "memory", "timed out"),
        ),
        "namespaces-by-control": _says(
            "there is no `/proc/self/ns/mnt` whose `ioctl` could be asked for anything", "ENOTTY", ends=("exit 1",)
        ),
        "page-cache": _says(
            "gVisor opens `/proc/self/mem` for nobody to write, so the third way is not there",
            *SILENCE,
            ends=("exit 1",),
        ),
        "canary-file-punched": Difference(
            why="gVisor's file server punches no holes, so nothing is destroyed",
            answers=("ENOTSUP",),
            destroys_canary_files=False,
        ),
        "files-without-names-given-one": Difference(
            why="gVisor knows no files without a name (`O_TMPFILE`)",
            ends=("exit 1",),
            answers=SILENCE,
            collects={"plan.json": b"{}"},
        ),
        "hostile-kinds": Difference(
            why="a FIFO exists inside gVisor alone, so it is not there to be read back", reports=("loop", "root", "up")
        ),
        "descriptor-signals": _says(OWN_KERNEL, "ENOSYS"),
        "file-handles": _says(OWN_KERNEL, "ENOTSUP"),
        "mknod": _says(OWN_KERNEL, "EEXIST", "allowed"),
        "perf": _says(OWN_KERNEL, "ENODEV"),
        "userfaultfd": _says(OWN_KERNEL, "ENOENT", "ENOSYS"),
        "kernel-log": _says(OWN_KERNEL, "ENOENT", "ENOSYS", "allowed"),
        "vsock": _says(OWN_KERNEL, "EAFNOSUPPORT"),
        "output-made-non-blocking": Difference(why=OWN_KERNEL, ends=("exit 1",)),
        "memory-policy": _MIXED,
        "rare-protocols": _says(OWN_KERNEL, "EINVAL", "EPROTONOSUPPORT", "allowed"),
        "kernel-tls": _ALLOWED,
        "urgent-data": _says(OWN_KERNEL, "EINVAL", "allowed"),
        "memory-by-netlink": _ALLOWED,
        "unshare": _ALLOWED,
        "clone-namespaces": _says(OWN_KERNEL, "EPERM", "allowed"),
        "setns": _says(OWN_KERNEL, "ENOENT", "allowed", ends=("exit 1",)),
        "process-memory": _says(OWN_KERNEL, "ENOSYS", "EPERM", ends=("exit 1",)),
        "ptrace": _says(OWN_KERNEL, "EPERM", "ESRCH", "allowed"),
        "kernel-queues": _ALLOWED,
        "keyring": _says(OWN_KERNEL, "EACCES"),
        "personality": _INVALID,
        "filter-of-its-own": _INVALID,
        "asynchronous-io": _says(OWN_KERNEL, "ENOSYS", "EPERM", "allowed"),
        "disk-flush": _ALLOWED,
        "file-leases": _INVALID,
        "huge-pages": _says(OWN_KERNEL, "0", "EINVAL"),
        "io-uring": _says(OWN_KERNEL, "ENOSYS", "EPERM", "allowed"),
        "netlink": _says(OWN_KERNEL, "EPROTONOSUPPORT", "allowed"),
        "other-socket-families": _says(OWN_KERNEL, "EAFNOSUPPORT", "EPERM"),
        "interfaces": _says(OWN_KERNEL, "ENOTSUP", "ENOTTY", "allowed"),
        "thirty-two-bit": _ALLOWED,
        "timers": _says(OWN_KERNEL, "unbounded"),
        "priority": _MIXED,
        "forced-socket-options": _says(OWN_KERNEL, "EINVAL", "ENOPROTOOPT", "EPERM", "allowed"),
        "entropy": _says(OWN_KERNEL, "ENOTTY"),
        "whiteouts": _says(OWN_KERNEL, "EINVAL", "EPERM", "allowed"),
        "output-in-packets": _says(OWN_KERNEL, *SILENCE, ends=("exit 1",)),
        "kernel-files": _says(OWN_FILES, "ENOENT", "cmdline"),
        "pid-1-memory": _says(OWN_FILES, "EACCES", "ENOENT", "allowed"),
        "pid-1-limits": _says(OWN_FILES, "EACCES", "EPERM", "allowed"),
        "memory-killer-exempt": _says(OWN_FILES, "allowed"),
        "devices": _says(OWN_FILES, "ENOENT", "allowed"),
    }
)
DIFFERENCES: Final[Mapping[str, Mapping[str, Difference]]] = MappingProxyType({"runsc": _RUNSC})
"""Runtime → behaviour → what is expected of it there, and why."""
DEPENDS_ON_SPEED: Final = frozenset({"negative-names", "page-tables"})
"""Known differences that a quick machine may not show."""
EVERYDAY: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "runsc": {
            "test_event_descriptors_and_process_descriptors": (
                "gVisor cannot wait for a process descriptor (`pidfd_open`)"
            )
        }
    }
)
"""Runtime → everyday program that asks for what it has not → why."""


def difference(runtime: str, behaviour: str) -> Difference | None:
    """How a behaviour differs on a runtime; None where it must not."""
    return DIFFERENCES.get(runtime, {}).get(behaviour)
