"""Memory that the kernel holds for a program, by every way that the everyday limits may not see."""

from refute.sandbox.job import MEBIBYTE
from tests.hostile.behaviour import Behaviour

MANY = """\
import time
def hoard(take, processes=15):
    for _ in range(processes):
        if os.fork() == 0:
            held = []
            try:
                while True:
                    held.append(take())
            except OSError:
                pass
            time.sleep(600)
    time.sleep(1)
    print("held", flush=True)
"""
BOUNDED = ("exit 0", "memory")
SMALL = {"memory_bytes": 64 * MEBIBYTE}


def hoard(name: str, does: str, *lines: str, **more: object) -> Behaviour:
    """A behaviour that takes something until it is refused, or the limit of 64 MiB strikes."""
    options = {"ends": BOUNDED, "limits": SMALL} | more
    return Behaviour(name=name, does=does, python=MANY + "\n".join(lines), **options)  # type: ignore[arg-type]


HOARDS = (
    hoard(
        "epoll-hoard",
        "makes 15,000 epoll instances, each watching the others",
        "import select",
        "pipe = os.pipe()[0]",
        "def take():",
        "    made = select.epoll()",
        "    made.register(pipe)",
        "    return made",
        "hoard(take)",
    ),
    hoard(
        "inotify-watches",
        "watches thousands of files, with every instance it gets",
        "for number in range(1000): open(f'w{number}', 'w').close()",
        "instances = [made for made in (libc.inotify_init() for _ in range(200)) if made >= 0]",
        "for made in instances[:20]:",
        "    for number in range(1000): libc.inotify_add_watch(made, b'w%d' % number, 0xFFF)",
        "print('held')",
        exhausts_user=True,
    ),
    hoard(
        "event-descriptors",
        "makes 15,000 event, timer and signal descriptors, and memory files",
        "turn = iter(range(10**9))",
        "def take():",
        "    return (lambda: os.eventfd(0), lambda: os.memfd_create('m'), lambda: os.pidfd_open(os.getpid()))"
        "[next(turn) % 3]()",
        "hoard(take)",
    ),
    hoard(
        "open-files-of-many-processes",
        "opens as many files as 40 processes may, so that the host's table would run full",
        "hoard(lambda: os.open('a.py', os.O_RDONLY), processes=40)",
    ),
    hoard(
        "descriptors-in-flight",
        "sends descriptors over sockets, then sockets that hold descriptors, and receives none",
        "import array, socket",
        "def take():",
        "    pair = socket.socketpair()",
        "    held = array.array('i', [pair[0].fileno()] * 100)",
        "    for _ in range(50): pair[0].sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, held)])",
        "    return pair",
        "hoard(take, processes=8)",
    ),
    hoard(
        "record-locks",
        "locks 3,000 single bytes of a file",
        "import fcntl",
        "file = open('locked', 'wb')",
        "try:",
        "    for number in range(3_000): fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * number)",
        "except OSError: pass",
        "print('held')",
    ),
    hoard(
        "page-tables",
        "touches one byte in every two megabytes of a terabyte, which costs a page of tables each",
        "import mmap",
        "try:",
        "    held = mmap.mmap(-1, 1 << 40, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)",
        "    for place in range(0, 1 << 40, 1 << 21): held[place] = 1",
        "except OSError as error: print(name(error.errno))",
    ),
    hoard(
        "mappings",
        "maps single pages until there are no more mappings",
        "import mmap",
        "hoard(lambda: mmap.mmap(-1, 4096, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS), processes=4)",
    ),
    hoard(
        "negative-names",
        "asks for 100,000 files that are not there, each of which the kernel remembers",
        "for number in range(100_000):",
        "    try: os.stat(f'/workspace/{number}' + 'n' * 100)",
        "    except OSError: pass",
        "print('held')",
    ),
    hoard(
        "arguments",
        "starts programs with megabytes of arguments each",
        "import subprocess, time",
        "word = 'x' * 130_000",
        "held = [subprocess.Popen(['sleep', '600', *[word] * 14], stderr=-3) for _ in range(20)]",
        "time.sleep(1)",
        "print('held')",
    ),
    hoard(
        "memory-by-udp",
        "fills datagram sockets that nobody reads",
        "import socket",
        "def take():",
        "    sender, receiver = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))",
        "    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 30)",
        "    receiver.bind(('127.0.0.1', 0))",
        "    sender.setblocking(False)",
        "    for _ in range(200): sender.sendto(bytes(60_000), receiver.getsockname())",
        "    return receiver",
        "hoard(take, processes=4)",
        "queued = sum(int(line.split()[4].split(':')[1], 16) for line in list(open('/proc/net/udp'))[1:])",
        "print('under 256 MiB' if queued < 1 << 28 else queued)",
        answers=("held", "under 256 MiB"),
    ),
    Behaviour(
        name="memory-by-netlink",
        does="fills netlink sockets with answers that nobody reads: memory that no limit counts",
        python="import socket\nattempt(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 0)",
        answers=("EPERM",),
        shares=True,
    ),
)
