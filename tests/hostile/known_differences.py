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
                    "orphans",
                    "allocation",
                    "allocation-shared",
                    "allocation-memfd",
                    "allocation-by-a-child",
                    "memory-by-files",
                    "memory-by-pipes",
                    "memory-by-unix-sockets",
                    "memory-by-tcp",
                    "extended-attributes",
                    "epoll-hoard",
                    "inotify-watches",
                    "event-descriptors",
                    "open-files-of-many-processes",
                    "descriptors-in-flight",
                    "record-locks",
                    "page-tables",
                    "mappings",
                    "arguments",
                    "memory-by-udp",
                ),
                NO_LIMITS,
            ),
            **dict.fromkeys(
                ("fill-tmp", "fill-shm", "fill-home", "inodes-workspace", "inodes-tmp", "fill-by-a-nameless-file"),
                OWN_DISKS,
            ),
            **dict.fromkeys(
                (
                    "descriptor-signals",
                    "output-made-non-blocking",
                    "newer-calls",
                    "memory-policy",
                    "privileges-by-prctl",
                    "rare-protocols",
                    "kernel-tls",
                    "urgent-data",
                    "memory-by-netlink",
                    "unshare",
                    "clone-namespaces",
                    "clone3",
                    "setns",
                    "mount",
                    "mount-new-interface",
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
                    "identity-maps",
                    "io-uring",
                    "netlink",
                    "other-socket-families",
                    "raw-sockets",
                    "interfaces",
                    "thirty-two-bit",
                    "x32",
                    "timers",
                    "queued-signals",
                    "inotify-instances",
                    "terminals",
                    "million-hard-links",
                    "every-call",
                    "kill-by-number",
                    "priority",
                    "host-identity",
                    "modules",
                    "clock",
                    "chroot",
                ),
                OWN_KERNEL,
            ),
            **dict.fromkeys(
                (
                    "kernel-files",
                    "kernel-settings",
                    "core-pattern",
                    "control-groups",
                    "release-agent",
                    "sysrq",
                    "sys-files",
                    "pid-1-memory",
                    "pid-1-limits",
                    "mountinfo",
                    "memory-killer-exempt",
                    "leaked-descriptors",
                    "terminal-input",
                    "root-file-system",
                    "devices",
                ),
                OWN_FILES,
            ),
        }
    }
)
"""Runtime → behaviour → reason."""
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
