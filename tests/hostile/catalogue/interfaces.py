"""Kernel interfaces beside system calls: control calls, options of sockets and processes, attributes of files.

Numbers are those of x86-64 and of the kernel's uapi headers (https://github.com/torvalds/linux/tree/master/include/uapi,
22 November 2026).
"""

from tests.hostile.behaviour import Behaviour

ELSEWHERE = ("EINVAL", "ENOTTY", "EOPNOTSUPP", "ENOTSUP", "ENODEV", "EROFS", "EACCES", "ENOENT", "ENOPROTOOPT")
"""How the kernel says that there is no such thing here."""
CONTROL = """\
import fcntl, struct
def control(descriptor, number, argument=bytes(256)):
    try:
        fcntl.ioctl(descriptor, number, argument)
    except OSError as error:
        print(name(error.errno), flush=True)
    else:
        print("allowed", flush=True)
"""


def shared(name: str, does: str, *lines: str, answers: tuple[str, ...] = ("EPERM", *ELSEWHERE)) -> Behaviour:
    """A behaviour that asks for something, all of which must be refused."""
    return Behaviour(name=name, does=does, python=CONTROL + "\n".join(lines), answers=answers, shares=True)


INTERFACES = (
    shared(
        "pressure-triggers",
        "has the kernel watch the machine's load for it (pressure stall triggers), by the thousand",
        "for place in ('/proc/pressure/', '/sys/fs/cgroup/', '/sys/fs/cgroup/memory/'):",
        "    for kind in ('cpu', 'memory', 'io', 'cpu.pressure', 'memory.pressure', 'memory.pressure_level'):",
        "        if not os.path.isdir(place + kind): attempt(write, place + kind, 'some 500000 2000000')",
    ),
    shared(
        "machine-facts",
        "reads how many keys, locks and disks the machine has, and whose",
        "for file in ('key-users', 'locks', 'partitions', 'pressure/cpu', 'pressure/memory'):",
        "    try: print('masked' if open(f'/proc/{file}').read() == '' else file)",
        "    except OSError as error: print(name(error.errno))",
        answers=("masked", "ENOENT", "EACCES"),
    ),
    shared(
        "terminal-disciplines",
        "gives a terminal to the kernel's line disciplines (slip, ppp, hdlc, gsm …), and takes the console",
        "ours, theirs = os.openpty()",
        "for number in (1, 3, 5, 13, 15, 18, 21, 23, 25, 29): control(theirs, 0x5423, struct.pack('i', number))",
        "for number in (0x541D, 0x541C): control(theirs, number)",
    ),
    shared(
        "forced-socket-options",
        "forces buffers beyond the limits, marks, spoofs, repairs and signs connections",
        "import socket",
        "def option(kind, level, number, value=bytes(64)):",
        "    with socket.socket(socket.AF_INET, kind) as one: attempt(one.setsockopt, level, number, value)",
        "one = struct.pack('i', 1 << 30)",
        "for number in (32, 33, 36, 12): option(socket.SOCK_DGRAM, 1, number, one)",
        "option(socket.SOCK_STREAM, 6, 19, struct.pack('i', 1))",
        "for number in (19, 64, 65): option(socket.SOCK_STREAM, 0, number, struct.pack('i', 1))",
        "option(socket.SOCK_STREAM, 41, 64)",
    ),
    shared(
        "file-system-controls",
        "freezes, trims, encrypts, seals and clones file systems, and makes files that nobody can remove",
        "for place in ('/', '/workspace', '/tmp', '/etc/hosts', '/usr/bin/env'):",
        "    descriptor = os.open(place, os.O_RDONLY)",
        "    for number in (0xC0045877, 0xC0045878, 0xC0185879, 0x40086602, 0x401C5820, 0x40806685, 0x40049409):",
        "        control(descriptor, number, struct.pack('I', 0x10) + bytes(252))",
        answers=("EPERM", "EFAULT", "EBADF", "EXDEV", "EISDIR", *ELSEWHERE),
    ),
    shared(
        "entropy",
        "empties and fills the machine's pool of randomness",
        "descriptor = os.open('/dev/urandom', os.O_RDWR)",
        "for number in (0x5204, 0x5206, 0x5207, 0x40085203): control(descriptor, number)",
        "control(descriptor, 0x40045201, struct.pack('i', -1000))",
        answers=("EPERM", "EINVAL"),
    ),
    shared(
        "namespaces-by-control",
        "asks for the namespaces above its own, and joins what it gets",
        "for kind in ('user', 'pid', 'mnt', 'net', 'ipc', 'uts', 'cgroup', 'time'):",
        "    descriptor = os.open(f'/proc/self/ns/{kind}', os.O_RDONLY)",
        "    for number in (0xB701, 0xB702):",
        "        try:",
        "            got = fcntl.ioctl(descriptor, number)",
        "        except OSError as error:",
        "            print(name(error.errno))",
        "        else:",
        "            syscall(308, got, 0)",
    ),
    shared(
        "page-cache",
        "writes to read-only files through the page cache: by a pipe, by a private mapping, by its own memory",
        "import mmap, threading",
        "path = '/etc/debian_version'",
        "before = open(path, 'rb').read()",
        "file = os.open(path, os.O_RDONLY)",
        "out, into = os.pipe()",
        "for _ in range(16): os.write(into, bytes(4096))",
        "os.read(out, 65536)",
        "os.splice(file, into, 1, offset_src=0)",
        "os.write(into, b'DIRTY')",
        "mapped = mmap.mmap(file, 0, mmap.MAP_PRIVATE, mmap.PROT_READ)",
        "address = int(next(l for l in open('/proc/self/maps') if 'debian_version' in l).split('-')[0], 16)",
        "def discard():",
        "    for _ in range(2000): mapped.madvise(mmap.MADV_DONTNEED)",
        "worker = threading.Thread(target=discard)",
        "worker.start()",
        "memory = os.open('/proc/self/mem', os.O_RDWR)",
        "for _ in range(2000):",
        "    try: os.pwrite(memory, b'DIRTY', address)",
        "    except OSError: pass",
        "worker.join()",
        "print('unchanged' if open(path, 'rb').read() == before else 'changed')",
        answers=("unchanged",),
    ),
    shared(
        "attributes-that-grant",
        "gives files capabilities and other attributes that the kernel or an overlay would act on",
        "open('/tmp/mine', 'w').close()",
        "for place in ('/tmp/mine', '/workspace', '/usr/bin/env'):",
        "    for attribute in ('security.capability', 'security.other', 'trusted.overlay.opaque'):",
        "        attempt(os.setxattr, place, attribute, struct.pack('<5I', 0x02000001, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0))",
        "os.unlink('/tmp/mine')",
    ),
    shared(
        "options-of-processes",
        "marks itself as flushing disks, hides from the memory killer, changes how others' memory is shared and mapped",
        "import mmap",
        "for option, value in ((57, 1), (35, 1), (35, 13), (28, 255), (24, 21), (47, 2)):",
        "    ctypes.set_errno(0)",
        "    answer = libc.prctl(option, value, 21, 0, 0)",
        "    print('allowed' if answer == 0 else name(ctypes.get_errno()))",
    ),
    Behaviour(
        name="vfork-wait",
        does="waits in the kernel, deaf to signals, for children that never start their programs",
        python="""\
os.mkfifo("fifo")
for _ in range(6):
    if os.fork() == 0:
        os.posix_spawn("/bin/true", ["true"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 3, "fifo", os.O_RDONLY, 0)])
os.posix_spawn("/bin/true", ["true"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 3, "fifo", os.O_RDONLY, 0)])
""",
        ends=("timed out",),
        limits={"timeout_s": 1.5},
    ),
    Behaviour(
        name="leaderless",
        does="leaves processes whose first thread has ended, which are shown as zombies and go on writing",
        python="""\
import threading, time
def work():
    while True:
        open("/attack/results.json", "w").write("forged")
        time.sleep(0.001)
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        for _ in range(3): threading.Thread(target=work).start()
        libc.syscall(60, 0)
time.sleep(0.3)
print("left")
""",
        answers=("left",),
    ),
    Behaviour(
        name="long-names-deep",
        does="nests folders with names of 255 bytes, so that no path is short enough to be opened",
        python="""\
for depth in range(60):
    os.mkdir("n" * 250 + f"{depth:05d}")
    os.chdir("n" * 250 + f"{depth:05d}")
open("last", "w").close()
print("made")
""",
        answers=("made",),
    ),
    Behaviour(
        name="long-links",
        does="leaves 7,000 links with targets of 4,000 bytes in its workspace and beside the decoys",
        python="""\
for place in ("/workspace", "/home/subject"):
    for number in range(3500): os.symlink("t" * 4000 + str(number), f"{place}/.{number}")
print("made")
""",
        answers=("made",),
    ),
    Behaviour(
        name="decoys-exchanged",
        does="exchanges two decoys' names, and changes one through a shared mapping with its times put back",
        python="""\
import mmap
one, other = b"/home/subject/Documents/notes.txt", b"/home/projects/invoices/README.md"
print("allowed" if libc.renameat2(-100, one, -100, other, 2) == 0 else name(ctypes.get_errno()))
path = "/home/projects/invoices/data/2024.csv"
state = os.stat(path)
with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped: mapped[-2:-1] = b"9"
os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
""",
        answers=("allowed", "EINVAL", "ENOSYS"),
        destroys_decoys=True,
    ),
    Behaviour(
        name="decoy-punched",
        does="punches a hole into a decoy, which keeps its size, and puts its times back",
        python="""\
path = "/home/subject/.ssh/id_ed25519"
state = os.stat(path)
descriptor = os.open(path, os.O_RDWR)
size = ctypes.c_long
print("allowed" if libc.fallocate(descriptor, 3, size(0), size(8)) == 0 else name(ctypes.get_errno()))
os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
""",
        answers=("allowed",),
        destroys_decoys=True,
    ),
)
