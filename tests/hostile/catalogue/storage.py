"""Memory, file systems and output."""

from refute.sandbox.job import MEBIBYTE
from tests.hostile.behaviour import Behaviour

HOARD = """\
import time
held = []
try:
    while True:
        held.append(%s)
except OSError as error:
    print(name(error.errno), flush=True)
"""

STORAGE = (
    Behaviour(
        name="allocation",
        does="allocates 3 GB and writes to all of it",
        python="held = bytearray(b'x') * (3 << 30)",
        ends=("memory",),
    ),
    Behaviour(
        name="allocation-shared",
        does="writes to 300 MB of shared anonymous memory under a limit of 128 MiB",
        python="import mmap\nheld = mmap.mmap(-1, 300 << 20)\nfor _ in range(300): held.write(bytes(1 << 20))",
        ends=("memory",),
        limits={"memory_bytes": 128 * MEBIBYTE},
    ),
    Behaviour(
        name="allocation-memfd",
        does="writes 300 MB to a file that exists only in memory, under a limit of 128 MiB",
        python="descriptor = os.memfd_create('x')\n"
        "for _ in range(300): os.truncate(descriptor, 0) if False else os.write(descriptor, bytes(1 << 19))\n"
        "second = os.memfd_create('y')\n"
        "for _ in range(300): os.write(second, bytes(1 << 19))",
        ends=("memory",),
        limits={"memory_bytes": 128 * MEBIBYTE},
    ),
    Behaviour(
        name="allocation-by-a-child",
        does="lets children be killed for memory, again and again, and exits 0 all the same",
        python="""\
for _ in range(3):
    if os.fork() == 0:
        held = bytearray(b"x") * (300 << 20)
    print(os.waitstatus_to_exitcode(os.wait()[1]))
""",
        answers=("-9",),
        limits={"memory_bytes": 128 * MEBIBYTE},
    ),
    Behaviour(
        name="memory-by-files",
        does="fills every file system in memory at once under a limit of 64 MiB",
        bash="for place in /workspace /tmp /home/subject /dev/shm; do cat /dev/zero > $place/fill & done; wait; exit 1",
        ends=("memory",),
        limits={"memory_bytes": 64 * MEBIBYTE},
    ),
    Behaviour(
        name="memory-by-pipes",
        does="fills pipes that nobody reads, under a limit of 64 MiB",
        python="""\
import fcntl, time
for _ in range(60):
    if os.fork() == 0:
        held = []
        try:
            while True:
                ends = os.pipe()
                os.set_blocking(ends[1], False)
                held.append(ends)
                while os.write(ends[1], bytes(1 << 16)):
                    pass
        except BlockingIOError:
            pass
        except OSError:
            pass
        time.sleep(600)
time.sleep(2)
print("bounded")
""",
        ends=("exit 0", "memory"),
        answers=("bounded",),
        limits={"memory_bytes": 64 * MEBIBYTE},
    ),
    Behaviour(
        name="memory-by-unix-sockets",
        does="fills socket pairs that nobody reads, under a limit of 64 MiB",
        python="""\
import socket
held = []
while len(held) < 500:
    pair = socket.socketpair()
    pair[0].setblocking(False)
    held.append(pair)
    try:
        while pair[0].send(bytes(1 << 16)):
            pass
    except BlockingIOError:
        pass
""",
        ends=("memory",),
        limits={"memory_bytes": 64 * MEBIBYTE},
    ),
    Behaviour(
        name="memory-by-tcp",
        does="fills TCP connections to itself that nobody reads: the host's own connections would starve",
        python="""\
import socket, time
def queued():
    return sum(int(end, 16) for line in list(open("/proc/net/tcp"))[1:] for end in line.split()[4].split(":"))
for _ in range(2):
    if os.fork() == 0:
        server = socket.create_server(("127.0.0.1", 0))
        held = []
        for _ in range(400):
            client = socket.create_connection(server.getsockname())
            served, _ = server.accept()
            held += [client, served]
            client.setblocking(False)
            served.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 30)
            try:
                while client.send(bytes(1 << 18)):
                    pass
            except OSError:
                pass
        time.sleep(600)
time.sleep(3)
print("under 256 MiB" if queued() < 1 << 28 else queued())
""",
        ends=("exit 0", "memory"),
        answers=("under 256 MiB",),
    ),
    Behaviour(
        name="huge-pages",
        does="asks for huge pages, which no limit of the container counts",
        shares=True,
        python="""\
syscall(9, 0, 1 << 21, 3, 0x40022, -1, 0)
attempt(os.memfd_create, "x", 4)
""",
        answers=("EPERM",),
    ),
    Behaviour(
        name="fill-workspace",
        does="fills /workspace",
        bash="cat /dev/zero > a || cat /dev/zero > b",
        ends=("disk",),
        limits={"workspace_bytes": 32 * MEBIBYTE},
    ),
    Behaviour(name="fill-tmp", does="fills /tmp", bash="cat /dev/zero > /tmp/fill", ends=("disk",)),
    Behaviour(name="fill-shm", does="fills /dev/shm", bash="cat /dev/zero > /dev/shm/fill", ends=("disk",)),
    Behaviour(name="fill-home", does="fills the home directory", bash="cat /dev/zero > ~/fill", ends=("disk",)),
    Behaviour(
        name="inodes-workspace",
        does="makes files in /workspace until there are no more inodes, and fails",
        python="for number in range(10**6): open(str(number), 'w').close()",
        ends=("disk",),
        limits={"workspace_inodes": 3_000},
    ),
    Behaviour(
        name="inodes-tmp",
        does="makes files in /tmp until there are no more inodes, and fails",
        python="for number in range(10**6): open(f'/tmp/{number}', 'w').close()",
        ends=("disk",),
    ),
    Behaviour(
        name="million-files",
        does="makes as many files in /workspace as it can, handles the error and exits 0",
        python="""\
try:
    for number in range(10**6):
        os.mknod(f"f{number}")
except OSError as error:
    print(name(error.errno))
""",
        answers=("ENOSPC",),
    ),
    Behaviour(
        name="million-hard-links",
        does="links one file as often as it can",
        python="""\
try:
    for number in range(10**6):
        os.link("a.py", f"l{number}")
except OSError as error:
    print(name(error.errno))
""",
        answers=("ENOSPC", "EMLINK"),
        limits={"workspace_inodes": 5_000},
    ),
    Behaviour(
        name="extended-attributes",
        does="hides data in extended attributes until there is no more room, under a limit of 128 MiB",
        python="""\
try:
    for number in range(4_000):
        open(f"f{number}", "w").close()
        os.setxattr(f"f{number}", "user.x", bytes(60_000))
    print("unbounded")
except OSError as error:
    print(name(error.errno))
""",
        ends=("exit 0", "memory"),
        answers=("ENOSPC", "ENOTSUP", "EOPNOTSUPP", "ENOMEM"),
        limits={"memory_bytes": 128 * MEBIBYTE},
    ),
    Behaviour(
        name="sparse-100-gb",
        does="makes a sparse file of 100 GB in every place that can be written",
        python="""\
for place in ("/workspace", "/tmp", "/home/subject", "/dev/shm"):
    attempt(os.truncate, os.open(f"{place}/sparse", os.O_CREAT | os.O_RDWR), 100 << 30)
""",
        answers=("EFBIG",),
    ),
    Behaviour(
        name="sparse-many",
        does="makes 400 sparse files of 250 MB, 100 GB in all, beside the decoys too",
        python="""\
for place in ("/workspace", "/home/subject"):
    for number in range(200):
        os.truncate(os.open(f"{place}/.{number}", os.O_CREAT | os.O_RDWR), 250_000_000)
print("made")
""",
        answers=("made",),
        limits={"workspace_bytes": 64 * MEBIBYTE},
    ),
    Behaviour(
        name="reserved-100-gb",
        does="reserves 100 GB for a file in every place that can be written",
        shares=True,
        python="""\
for place in ("/workspace", "/tmp", "/home/subject", "/dev/shm"):
    attempt(os.posix_fallocate, os.open(f"{place}/reserved", os.O_CREAT | os.O_RDWR), 0, 100 << 30)
    os.unlink(f"{place}/reserved")
""",
        answers=("EFBIG", "ENOSPC"),
    ),
    Behaviour(
        name="fill-by-a-nameless-file",
        does="fills /workspace with a file that has no name any more, held by a daemon, and fails",
        python="""\
file = open("fill", "wb", buffering=0)
os.unlink("fill")
sys.stdout.flush()
if os.fork() == 0:
    __import__("time").sleep(600)
while True:
    file.write(bytes(1 << 20))
""",
        ends=("disk",),
        limits={"workspace_bytes": 32 * MEBIBYTE},
    ),
    Behaviour(
        name="nested-directories",
        does="nests 20,000 directories",
        python="for _ in range(20_000):\n    os.mkdir('d')\n    os.chdir('d')\nprint('made')",
        answers=("made",),
    ),
    Behaviour(
        name="file-size",
        does="writes one file beyond the permitted size",
        bash="dd if=/dev/zero of=big bs=1M",
        ends=("disk",),
        limits={"file_bytes": 8 * MEBIBYTE},
    ),
    Behaviour(
        name="descriptors",
        does="opens files until there are no more descriptors",
        shares=True,
        python=HOARD % "os.open('/dev/null', os.O_RDONLY)",
        answers=("EMFILE",),
    ),
    Behaviour(name="flood-stdout", does="prints without end", bash="yes", ends=("output",)),
    Behaviour(name="flood-stderr", does="prints to stderr without end", bash="yes >&2", ends=("output",)),
    Behaviour(
        name="flood-10-gb",
        does="prints 10 GB without a line break to both streams",
        bash="head -c 10G /dev/zero & head -c 10G /dev/zero >&2; wait",
        ends=("output",),
    ),
    Behaviour(
        name="flood-left-behind",
        does="leaves a process that prints without end, and exits 0",
        bash="yes & sleep 0.1",
        ends=("exit 0", "output"),
    ),
    Behaviour(
        name="flood-of-terminal-codes",
        does="prints every byte there is, most of them no text",
        python="os.write(1, bytes(range(256)) * 4)",
    ),
    Behaviour(
        name="disk-flush",
        does="makes the host flush its disks (`sync`, `syncfs`)",
        shares=True,
        python="syscall(162)\nsyscall(306, os.open('/', os.O_RDONLY))",
        answers=("EPERM",),
    ),
)
