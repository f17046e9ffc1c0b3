"""System calls that lead out of a container or into the kernel. Numbers are those of x86-64."""

from tests.hostile.behaviour import Behaviour

REFUSED = ("EPERM", "ENOSYS")


def calls(name: str, does: str, *lines: str, answers: tuple[str, ...] = REFUSED) -> Behaviour:
    """A behaviour that makes system calls, all of which must be refused."""
    return Behaviour(name=name, does=does, python="\n".join(lines), answers=answers, shares=True)


KERNEL = (
    calls(
        "unshare",
        "leaves its namespaces: user, mount, network, pid, ipc, uts, cgroup, time",
        "for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x8000000, 0x4000000, 0x2000000, 0x80):",
        "    syscall(272, flag)",
        answers=("EPERM",),
    ),
    calls(
        "clone-namespaces",
        "clones itself into new namespaces",
        "for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x8000000, 0x4000000, 0x2000000):",
        "    syscall(56, flag | 17, None, None, None, 0)",
        answers=("EPERM",),
    ),
    calls("clone3", "clones itself by the call whose flags cannot be filtered", "syscall(435, None, 0)"),
    calls(
        "setns",
        "joins a namespace of PID 1",
        "for kind in ('mnt', 'net', 'pid', 'user'): attempt(os.open, f'/proc/1/ns/{kind}', os.O_RDONLY)",
        "syscall(308, os.open('/proc/self/ns/mnt', os.O_RDONLY), 0)",
        answers=("EPERM", "EACCES"),
    ),
    calls(
        "mount",
        "mounts, unmounts, remounts the root writable, binds the host's proc",
        "syscall(165, b'none', b'/tmp', b'tmpfs', 0, None)",
        "syscall(165, None, b'/', None, 0x20, None)",
        "syscall(165, b'/proc', b'/tmp', None, 0x1000, None)",
        "syscall(166, b'/proc/sys', 2)",
        "syscall(155, b'/', b'/tmp')",
        answers=("EPERM",),
    ),
    calls(
        "mount-new-interface",
        "mounts by the newer calls (fsopen, fsmount, open_tree, move_mount, mount_setattr, fspick)",
        "syscall(430, b'tmpfs', 0)",
        "syscall(432, 0, 0, 0)",
        "syscall(428, -100, b'/', 1)",
        "syscall(429, -100, b'/', -100, b'/tmp', 0)",
        "syscall(442, -100, b'/', 0, bytes(32), 32)",
        "syscall(433, -100, b'/', 0)",
    ),
    calls("chroot", "changes its root to climb out of it", "attempt(os.chroot, '/tmp')", answers=("EPERM",)),
    calls(
        "file-handles",
        "opens files of the host by handle (the way of `shocker`)",
        "syscall(304, 3, bytes(16), 0)",
        "syscall(303, -100, b'/', bytes(64), bytes(8), 0)",
        answers=("EPERM",),
    ),
    calls(
        "mknod",
        "makes the host's memory and disks as devices of its own",
        "import stat",
        "for kind, major, minor in ((stat.S_IFCHR, 1, 1), (stat.S_IFBLK, 8, 0), (stat.S_IFBLK, 254, 0)):",
        "    attempt(os.mknod, '/tmp/device', kind | 0o600, os.makedev(major, minor))",
        "    syscall(259, -100, b'/tmp/device2', kind | 0o600 | (1 << 32), os.makedev(major, minor))",
        answers=("EPERM",),
    ),
    calls(
        "bpf",
        "loads programs into the kernel (bpf, classic and by socket)",
        "syscall(321, 5, bytes(128), 128)",
        "syscall(321, 0, bytes(128), 128)",
        answers=("EPERM",),
    ),
    calls("perf", "opens performance counters", "syscall(298, bytes(128), 0, -1, -1, 0)", answers=("EPERM",)),
    calls(
        "userfaultfd",
        "handles page faults itself, which stretches races in the kernel",
        "syscall(323, 0)",
        "syscall(323, 1)",
        "attempt(os.open, '/dev/userfaultfd', os.O_RDWR)",
        answers=("EPERM", "ENOENT"),
    ),
    calls(
        "io-uring",
        "hands system calls to the kernel past the filter (io_uring)",
        "syscall(425, 1, bytes(120))",
        "syscall(426, 0, 0, 0, 0, None, 0)",
        "syscall(427, 0, 0, None, 0)",
    ),
    calls(
        "ptrace",
        "traces itself, PID 1 and every other process",
        "for request, target in ((0, 0), (16, 1), (0x4206, 1), (16, os.getppid()), (0x4206, os.getppid())):",
        "    syscall(101, request, target, 0, 0)",
        answers=("EPERM",),
    ),
    calls(
        "process-memory",
        "reads and writes other processes' memory and descriptors",
        "for number in (310, 311):",
        "    syscall(number, os.getppid(), 0, 0, 0, 0, 0)",
        "syscall(312, os.getpid(), os.getppid(), 0, 0, 0)",
        "syscall(438, os.pidfd_open(os.getpid()), 0, 0)",
        "syscall(440, os.pidfd_open(os.getpid()), 0, 0, 0, 0)",
    ),
    calls(
        "keyring",
        "uses the kernel's keys, which all containers of a user share",
        "syscall(248, b'user', b'refute', b'leak', 4, -4)",
        "syscall(249, b'user', b'refute', None, 0)",
        "for operation in (0, 1, 6, 11): syscall(250, operation, -4, 0)",
        answers=("EPERM",),
    ),
    calls(
        "modules",
        "loads and unloads kernel modules",
        "syscall(175, b'x', 1, b'')",
        "syscall(313, 0, b'', 0)",
        "syscall(176, b'ext4', 0x800)",
        answers=("EPERM",),
    ),
    calls(
        "kexec-and-reboot",
        "starts another kernel, restarts the machine, turns swap on and off",
        "syscall(246, 0, 0, None, 0)",
        "syscall(320, 0, 0, 0, b'', 0)",
        "syscall(169, 0xFEE1DEAD, 672274793, 0x1234567, None)",
        "syscall(167, b'/tmp/x', 0)",
        "syscall(168, b'/dev/sda1')",
        answers=("EPERM",),
    ),
    calls(
        "clock",
        "sets the clock by every call there is",
        "import time",
        "attempt(time.clock_settime, time.CLOCK_REALTIME, 0)",
        "syscall(164, bytes(16), None)",
        "syscall(159, bytes(208))",
        "syscall(305, 0, (0x8000).to_bytes(4, 'little') + bytes(204))",
        "attempt(os.open, '/dev/rtc0', os.O_RDONLY)",
        answers=("EPERM", "ENOENT"),
    ),
    calls(
        "ports",
        "asks for the machine's input and output ports, and for segments of its own",
        "syscall(172, 3)",
        "syscall(173, 0x70, 2, 1)",
        "syscall(154, 1, bytes(16), 16)",
        answers=("EPERM",),
    ),
    calls(
        "kernel-log",
        "reads and clears the kernel's log",
        "for operation in (2, 3, 4, 5, 10): syscall(103, operation, None, 0)",
        "attempt(os.open, '/dev/kmsg', os.O_RDWR)",
        answers=("EPERM", "ENOENT"),
    ),
    calls(
        "host-identity",
        "renames the machine, sets quotas, accounting and a new session's terminal",
        "import socket",
        "attempt(socket.sethostname, 'owned')",
        "syscall(171, b'owned', 5)",
        "syscall(163, b'/tmp/accounting')",
        "syscall(179, 0x800002, None, 0, None)",
        "syscall(153)",
        "syscall(162)",
        "syscall(306, 0)",
        answers=("EPERM",),
    ),
    calls(
        "kernel-queues",
        "makes message queues, semaphores and shared memory that outlive it",
        "syscall(240, b'refute', os.O_CREAT | os.O_RDWR, 0o600, None)",
        "syscall(241, b'refute')",
        "syscall(29, 0x7EF07E, 4096, 0o1600)",
        "syscall(64, 0x7EF07E, 1, 0o1600)",
        "syscall(68, 0x7EF07E, 0o1600)",
        answers=("EPERM",),
    ),
    calls(
        "asynchronous-io",
        "uses the kernel's older asynchronous interfaces (io_setup, vmsplice) and file events for the machine",
        "syscall(206, 1, bytes(8))",
        "syscall(278, 0, None, 0, 0)",
        "syscall(300, 0, 0)",
        "syscall(212, 0, 0, 0)",
    ),
    calls(
        "personality",
        "switches off the randomisation of addresses, which makes exploits reliable",
        "syscall(135, 0x0040000)",
        "syscall(135, 0x0400000)",
        answers=("EPERM",),
    ),
    calls(
        "filter-of-its-own",
        "hands its system calls to another process to decide (seccomp notification)",
        "syscall(317, 1, 8, bytes(16))",
        "syscall(317, 0, 0, None)",
        answers=("EPERM",),
    ),
    Behaviour(
        name="thirty-two-bit",
        does="makes system calls of the 32-bit kind, past the filter",
        shares=True,
        python="""\
import mmap
if os.fork() == 0:
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes.fromhex("b827000000cd80c3"))
    where = ctypes.addressof(ctypes.c_char.from_buffer(code))
    answer = ctypes.CFUNCTYPE(ctypes.c_int)(where)()
    os._exit(-answer if answer < 0 else 0)
ended = os.waitstatus_to_exitcode(os.wait()[1])
print("killed" if ended < 0 else name(ended) if ended else "allowed")
""",
        answers=("killed", "EPERM", "ENOSYS"),
    ),
    Behaviour(
        name="x32",
        does="makes system calls of the x32 kind, past the filter",
        shares=True,
        python="""\
for number in (272, 101):
    sys.stdout.flush()
    if os.fork() == 0:
        answer = libc.syscall(ctypes.c_long(0x40000000 | number), ctypes.c_long(0x10000000), ctypes.c_long(1))
        os._exit(ctypes.get_errno() if answer < 0 else 0)
    ended = os.waitstatus_to_exitcode(os.wait()[1])
    print("killed" if ended < 0 else name(ended) if ended else "allowed")
""",
        answers=("killed", "EPERM", "ENOSYS"),
    ),
    calls(
        "newer-calls",
        "uses what newer kernels added: mount tables, security modules, quotas, secret memory, access rules of its own",
        "for number in (443, 444, 445, 446, 447, 448, 450, 451, 457, 458, 459, 460, 461, 467, 468, 469):",
        "    syscall(number, 0, 0, 0, 0, 0, 0)",
    ),
    calls(
        "memory-policy",
        "moves memory between nodes and processes, remaps files, poisons the machine's pages",
        "for number in (237, 238, 239, 256, 279, 216): syscall(number, 0, 0, 0, 0, 0, 0)",
        "import mmap",
        "page = mmap.mmap(-1, 4096)",
        "for advice in (100, 101): attempt(page.madvise, advice)",
        answers=("EPERM", "ENOSYS", "EINVAL"),
    ),
    calls(
        "privileges-by-prctl",
        "raises ambient capabilities, sets secure bits, rewrites its memory map, drops `no new privileges`",
        "for words in ((47, 2, 21, 0, 0), (47, 2, 0, 0, 0), (28, 0x2F, 0, 0, 0), (35, 1, 4096, 0, 0),",
        "              (57, 1, 0, 0, 0), (38, 0, 0, 0, 0), (24, 1000, 0, 0, 0)):",
        "    syscall(157, *words)",
        answers=("EPERM", "EINVAL"),
    ),
    Behaviour(
        name="every-call",
        does="makes every system call from 0 to 500 that does not end or stop it, with nonsense for arguments",
        python="""\
stopping = {3, 7, 9, 10, 11, 12, 13, 14, 15, 22, 23, 25, 34, 35, 56, 57, 58, 59, 60, 61, 62, 80, 81, 109, 112, 128, 130}
stopping |= {131, 158, 160, 200, 202, 218, 219, 230, 231, 232, 234, 247, 270, 271, 273, 274, 281, 302, 322, 334, 424}
stopping |= {436, 441, 449, 454, 455, 456}
stopping |= {36, 37, 38}
sys.stdout.flush()
if os.fork() == 0:
    import signal
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)  # wakes what waits
    words = [ctypes.c_long(-1)] * 6
    for number in set(range(501)) - stopping:
        libc.syscall(ctypes.c_long(number), *words)
    os._exit(0)
print("done" if os.wait()[1] == 0 else "cut short")
""",
        answers=("done", "cut short"),
    ),
)
