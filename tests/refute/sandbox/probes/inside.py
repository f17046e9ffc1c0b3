"""Runs in the container: what is in effect there, as JSON."""

# A probe uses what programs use, and answers on stdout.
# ruff: noqa: PTH208, T201

import ctypes
import errno
import json
import os
import resource
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
# Numbers of the x86-64 table (https://github.com/torvalds/linux/blob/master/arch/x86/entry/syscalls/syscall_64.tbl).
CALLS = {
    "ptrace": (101, 0, 0, 0, 0),
    "process_vm_readv": (310, os.getpid(), 0, 0, 0, 0, 0),
    "process_vm_writev": (311, os.getpid(), 0, 0, 0, 0, 0),
    "kcmp": (312, os.getpid(), os.getpid(), 0, 0, 0),
    "add_key": (248, b"user", b"x", b"y", 1, -3),
    "request_key": (249, b"user", b"x", None, 0),
    "keyctl": (250, 0, -3, 1),
    "mq_open": (240, b"x", os.O_CREAT | os.O_RDWR, 0o600, None),
    "mount": (165, b"none", b"/tmp", b"tmpfs", 0, None),
    "umount2": (166, b"/tmp", 0),
    "pivot_root": (155, b"/", b"/tmp"),
    "fsopen": (430, b"tmpfs", 0),
    "open_tree": (428, -100, b"/", 1),
    "move_mount": (429, -1, b"", -1, b"", 0),
    "unshare user": (272, 0x10000000),
    "unshare mount": (272, 0x20000),
    "setns": (308, 0, 0),
    "clone newuser": (56, 0x10000000 | 17, None, None, None, 0),
    "clone newnet": (56, 0x40000000 | 17, None, None, None, 0),
    "clone3": (435, None, 0),
    "bpf": (321, 0, None, 0),
    "userfaultfd": (323, 1),
    "perf_event_open": (298, None, 0, -1, -1, 0),
    "init_module": (175, None, 0, b""),
    "finit_module": (313, 0, b"", 0),
    "delete_module": (176, b"x", 0),
    "kexec_load": (246, 0, 0, None, 0),
    "pidfd_getfd": (438, 0, 0, 0),
    "open_by_handle_at": (304, 0, None, 0),
    "name_to_handle_at": (303, -100, b"/", None, None, 0),
    "fanotify_init": (300, 0, 0),
    "io_uring_setup": (425, 1, None),
    "io_uring_enter": (426, 0, 0, 0, 0, None, 0),
    "io_uring_register": (427, 0, 0, None, 0),
    "io_setup": (206, 1, None),
    "vmsplice": (278, 0, None, 0, 0),
    "quotactl": (179, 0, None, 0, None),
    "swapon": (167, b"/tmp/x", 0),
    "reboot": (169, 0, 0, 0, None),
    "settimeofday": (164, None, None),
    "clock_settime": (227, 0, None),
    "adjtimex": (159, None),
    "chroot": (161, b"/tmp"),
    "acct": (163, None),
    "iopl": (172, 3),
    "syslog": (103, 2, None, 0),
    "modify_ldt": (154, 0, None, 0),
    "seccomp": (317, 0, 0, None),
    "mq_unlink": (241, b"x"),
    "fsmount": (432, -1, 0, 0),
    "kexec_file_load": (320, -1, -1, 0, None, 0),
    "clock_adjtime": (305, 0, None),
    "ioperm": (173, 0, 1, 1),
    "sync": (162,),
    "syncfs": (306, 0),
    "semget": (64, 0, 1, 0o1600),
    "msgget": (68, 0, 0o1600),
    "shmget": (29, 0, 4096, 0o1600),
    "personality no randomisation": (135, 0x0040000),
    "mknod device": (133, b"/tmp/device", 0o20600, 0x101),
    "socket vsock": (41, 40, 1, 0),
    "socket packet": (41, 17, 3, 0),
    "socket alg": (41, 38, 5, 0),
    "socket xdp": (41, 44, 3, 0),
    "socket bluetooth": (41, 31, 1, 0),
    "socket netlink netfilter": (41, 16, 3, 12),
    "socket netlink": (41, 16, 3, 0),
    "socket raw": (41, 2, 3, 1),
    "socket sctp": (41, 2, 1, 132),
    "socket mptcp": (41, 10, 1, 262),
}


def refusals() -> dict[str, str]:
    """Call → name of the error, or `allowed`."""
    found = {}
    for name, (number, *arguments) in CALLS.items():
        words = [argument if isinstance(argument, bytes | None) else ctypes.c_long(argument) for argument in arguments]
        ctypes.set_errno(0)
        result = LIBC.syscall(ctypes.c_long(number), *words)
        if result == 0 and name.startswith("clone"):
            os._exit(0)  # the child of a clone that should have been refused
        found[name] = "allowed" if result >= 0 else errno.errorcode[ctypes.get_errno()]
    return found


def main() -> None:
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines())
    masked = ["/proc/kallsyms", "/proc/cmdline", "/proc/kcore", "/proc/config.gz", "/proc/keys", "/proc/modules"]
    print(
        json.dumps(
            {
                "status": {
                    key: status[key].strip() for key in status if key.startswith(("NoNew", "Seccomp", "SigIgn"))
                },
                "keeper": Path("/proc/1/status").read_text(),
                "environment": dict(os.environ),
                "refusals": refusals(),
                "limits": {
                    name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
                    for name in ("NOFILE", "CORE", "FSIZE")
                },
                "masked": {path: len(Path(path).read_bytes()) if Path(path).exists() else 0 for path in masked},
                "sys_kernel": os.listdir("/sys/kernel"),
            }
        )
    )


if __name__ == "__main__":
    main()
