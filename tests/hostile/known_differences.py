"""What a runtime other than runc does differently, and why that is no fault: the suites allow for exactly this.

A behaviour that is listed with a reason may end and answer otherwise there; that it harms neither host nor next job
is asserted all the same. Sources: https://gvisor.dev/docs/architecture_guide/security/ and
https://gvisor.dev/docs/user_guide/compatibility/linux/amd64/, read on 22 November 2026.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NO_LIMITS: Final = "with --ignore-cgroups nothing counts memory and processes; the sandbox refuses to claim them"
OWN_KERNEL: Final = "the call reaches gVisor's kernel, not the host's: it acts on the sandbox alone"
OWN_FILES: Final = "gVisor shows files of a kernel of its own, with nothing of the host in them"

OWN_STACK: Final = "gVisor's own network stack has no way out either, and says so with another error"
OWN_DISKS: Final = "the file systems are gVisor's own, unseen from outside: a full one is told as the command's failure"

DIFFERENCES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "runsc": {
            **dict.fromkeys(
                (
                    "fork-bomb",
                    "fork-bomb-left-behind",
                    "fork-bomb-handled",
                    "thread-bomb",
                    "zombies",
                    "allocation",
                    "allocation-shared",
                    "allocation-memfd",
                    "allocation-by-a-child",
                    "memory-by-files",
                    "memory-by-unix-sockets",
                    "memory-by-tcp",
                    "page-tables",
                    "memory-by-udp",
                ),
                NO_LIMITS,
            ),
            **dict.fromkeys(
                ("fill-tmp", "fill-shm", "fill-home", "inodes-workspace", "inodes-tmp", "fill-by-a-nameless-file"),
                OWN_DISKS,
            ),
            **dict.fromkeys(("tcp-out", "udp-out", "ipv6-out", "cloud-metadata"), OWN_STACK),
            "nested-directories": "gVisor's file server holds a descriptor for each directory, and has no more",
            "negative-names": "each look-up goes through gVisor's file server, which takes longer than the job's time",
            "namespaces-by-control": "there is no `/proc/self/ns/mnt` whose `ioctl` could be asked for anything",
            "page-cache": "gVisor opens `/proc/self/mem` for nobody to write, so the third way is not there",
            "decoy-punched": "gVisor's file server punches no holes, so nothing is destroyed",
            "files-without-names-given-one": "gVisor knows no files without a name (`O_TMPFILE`)",
            "hostile-kinds": "a FIFO exists inside gVisor alone, so it is not there to be read back",
            **dict.fromkeys(
                (
                    "descriptor-signals",
                    "file-handles",
                    "mknod",
                    "perf",
                    "userfaultfd",
                    "kernel-log",
                    "vsock",
                    "output-made-non-blocking",
                    "memory-policy",
                    "rare-protocols",
                    "kernel-tls",
                    "urgent-data",
                    "memory-by-netlink",
                    "unshare",
                    "clone-namespaces",
                    "setns",
                    "process-memory",
                    "ptrace",
                    "kernel-queues",
                    "keyring",
                    "personality",
                    "filter-of-its-own",
                    "asynchronous-io",
                    "disk-flush",
                    "file-leases",
                    "huge-pages",
                    "io-uring",
                    "netlink",
                    "other-socket-families",
                    "interfaces",
                    "thirty-two-bit",
                    "timers",
                    "priority",
                    "forced-socket-options",
                    "entropy",
                    "whiteouts",
                    "output-in-packets",
                ),
                OWN_KERNEL,
            ),
            **dict.fromkeys(
                (
                    "kernel-files",
                    "pid-1-memory",
                    "pid-1-limits",
                    "memory-killer-exempt",
                    "devices",
                ),
                OWN_FILES,
            ),
        }
    }
)
"""Runtime → behaviour → reason."""
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


def difference(runtime: str, behaviour: str) -> str:
    """The reason why a behaviour differs on a runtime; empty where it must not."""
    return DIFFERENCES.get(runtime, {}).get(behaviour, "")
