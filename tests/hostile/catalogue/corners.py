"""Odd corners of what is allowed: relations of processes, kinds of files, clocks, twins of names, decoys put back."""

from tests.hostile.behaviour import Behaviour

REFUSED = ("EPERM", "EINVAL", "ENOSYS", "ENODEV", "E2BIG", "EOPNOTSUPP", "ENOTSUP", "EACCES")

CORNERS = (
    Behaviour(
        name="children-of-the-engine",
        does="makes 300 children of its own parent, a process of the engine's (CLONE_PARENT), and leaves some",
        python="""\
import signal, time
for number in range(300):
    pid = libc.syscall(56, 0x8000 | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        time.sleep(30 if number % 10 == 0 else 0)
        os._exit(number % 256)
    if pid < 0:
        print(name(ctypes.get_errno()))
        break
print("left")
""",
        answers=("left", "EPERM", "EAGAIN", "EINVAL"),
    ),
    Behaviour(
        name="exit-signals",
        does="makes children that tell their end by KILL, STOP and SEGV instead of CHLD, and orphans of that kind",
        python="""\
import signal, time
for number in (9, 19, 11):
    if libc.syscall(56, signal.SIGCHLD, 0, 0, 0, 0) == 0:
        if libc.syscall(56, number, 0, 0, 0, 0) == 0:
            time.sleep(0.3)
        os._exit(0)
time.sleep(0.6)
print("left")
""",
        answers=("left",),
    ),
    Behaviour(
        name="wake-alarms",
        does="sets timers that would wake the machine from sleep",
        python="""\
for clock in (8, 9):
    syscall(283, clock, 0)
    box = ctypes.create_string_buffer(8)
    syscall(222, clock, None, ctypes.addressof(box))
""",
        answers=REFUSED,
        shares=True,
    ),
    Behaviour(
        name="scheduling-attributes",
        does="asks for deadlines, utilisation clamps and a core of its own (sched_setattr, core scheduling)",
        python="""\
import struct
for policy, flags, *rest in ((6, 0, 10**7, 10**7, 10**7), (0, 0x60 | 0x18, 0, 0, 0)):
    data = struct.pack("IIQiIQQQII", 56, policy, flags, 0, 0, *rest, 1024, 1024)
    syscall(314, 0, data, 0)
for command in (1, 2, 3):
    syscall(157, 62, command, 1, 2, 0)
""",
        answers=REFUSED,
        shares=True,
    ),
    Behaviour(
        name="barriers",
        does="interrupts every processor of the machine, again and again (membarrier)",
        python="""\
import time
began = time.monotonic()
for command in (1, 2, 4, 8, 16, 32, 64, 128):
    for _ in range(300):
        libc.syscall(324, command, 0, 0)
        if time.monotonic() - began > 8:
            break
print("done")
""",
        answers=("done",),
    ),
    Behaviour(
        name="whiteouts",
        does="makes whiteouts, which an overlay takes for deleted files, in every place that can be written",
        python="""\
import stat
for place in ("/workspace/a.py", "/home/subject/.bashrc", "/tmp/x"):
    folder = os.path.dirname(place)
    attempt(os.mknod, f"{folder}/white", stat.S_IFCHR | 0o666, 0)
    syscall(316, -100, f"{folder}/other".encode(), -100, f"{folder}/white2".encode(), 4)
""",
        answers=("EPERM", "EINVAL", "ENOENT", "EACCES"),
        reports=(),
    ),
    Behaviour(
        name="name-twins",
        does="names files alike: by case, by composed and decomposed letters, by invisible characters",
        python="""\
for twin in ("A.py", "a.py ", "a.p\\u200by", "\\u00e9", "e\\u0301", "a\\u2215py", " a.py"):
    open(twin, "w").write("x")
""",
        reports=("A.py", "a.py ", "a.p\\u200by", "\u00e9", "e\u0301", "a\u2215py", " a.py"),
    ),
    Behaviour(
        name="originals-grown",
        does="grows a file that was there to 200 MB of nothing, and gives it back its times",
        python="state = os.stat('a.py')\nos.truncate('a.py', 200_000_000)\n"
        "os.utime('a.py', ns=(state.st_atime_ns, state.st_mtime_ns))",
        reports=("a.py",),
    ),
    Behaviour(
        name="originals-put-back",
        does="replaces a file that was there by another of the same content: nothing has changed",
        python="os.rename('a.py', 'b.py')\nopen('a.py', 'w').write('A = 1\\n')\nos.unlink('b.py')\n"
        "os.utime('a.py', (2**32 - 1, 2**32 - 1))",
        reports=(),
    ),
    Behaviour(
        name="decoys-put-back",
        does="moves its home away and back, and writes each file of it anew as it was: nothing is destroyed",
        python="""\
os.rename("/home/subject", "/home/other")
os.rename("/home/other", "/home/subject")
for folder, _, names in os.walk("/home"):
    for one in names:
        path = os.path.join(folder, one)
        content, mode = open(path, "rb").read(), os.stat(path).st_mode
        os.unlink(path)
        open(path, "wb").write(content)
        os.chmod(path, mode & 0o777)
""",
    ),
    Behaviour(
        name="decoys-linked-to-copies",
        does="puts links to copies of the same content in the place of its home's files",
        python="""\
for number, path in enumerate(("/home/subject/.bashrc", "/home/projects/invoices/README.md")):
    os.rename(path, f"/home/copy{number}")
    os.symlink(f"/home/copy{number}", path)
""",
        destroys_decoys=True,
    ),
    Behaviour(
        name="fill-attack",
        does="fills the folder of its results, with bytes and with names, and leaves no result",
        python="""\
try:
    with open("/attack/big", "wb") as file:
        while True:
            file.write(bytes(1 << 20))
except OSError as error:
    print(name(error.errno))
for number in range(60_000):
    try:
        os.close(os.open(f"/attack/n{number}", os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        print(name(error.errno))
        break
""",
        answers=("ENOSPC", "EFBIG"),
        collects={"plan.json": b"{}"},
    ),
    Behaviour(
        name="flood-of-hostile-names",
        does="leaves 5,000 files whose names are line breaks, escape sequences and bytes that are no text",
        python="""\
for number in range(5_000):
    os.close(os.open(b"\\x1b]0;%d\\n\\xff\\xe2\\x80\\xae" % number + b"n" * 200, os.O_CREAT | os.O_WRONLY))
print("made")
""",
        answers=("made",),
    ),
    Behaviour(
        name="links-a-hundred-deep",
        does="leads to its results through a hundred links, and has its originals lead in circles",
        python="""\
open("/attack/end", "w").write("x")
before = "end"
for number in range(100):
    os.symlink(before, f"/attack/l{number}")
    before = f"l{number}"
os.symlink(before, "/attack/results.json")
os.unlink("a.py")
os.symlink("a.py", "a.py")
""",
        reports=("a.py",),
        collects={"plan.json": b"{}"},
    ),
    Behaviour(
        name="files-without-names-given-one",
        does="writes its results to a nameless file, names it, and goes on writing through a daemon's mapping",
        python="""\
import mmap, time
one = os.open("/attack", os.O_TMPFILE | os.O_RDWR)
os.write(one, b"x" * 4096)
libc.linkat(-100, f"/proc/self/fd/{one}".encode(), -100, b"/attack/results.json", 0x400)
shared = mmap.mmap(one, 4096)
if os.fork() == 0:
    os.setsid()
    while True:
        shared[:] = b"x" * 4096
print("left")
""",
        answers=("left",),
        collects={"results.json": b"x" * 4096, "plan.json": b"{}"},
    ),
    Behaviour(
        name="locks-held",
        does="leaves a daemon that holds locks of every kind on its results, its files and its decoys",
        python="""\
import fcntl, time
files = [open(path, "r+") for path in ("/workspace/a.py", "/home/subject/.bashrc", "/attack/plan.json")]
if os.fork() == 0:
    os.setsid()
    for file in files:
        fcntl.flock(file, fcntl.LOCK_EX)
        fcntl.lockf(file, fcntl.LOCK_EX)
    print("left", flush=True)
    time.sleep(60)
time.sleep(0.5)
""",
        answers=("left",),
        reports=(),
        collects={"plan.json": b"{}"},
    ),
    Behaviour(
        name="output-in-packets",
        does="turns its output into packets, of which a reader with a small buffer would lose parts (O_DIRECT)",
        python="""\
import fcntl
fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL) | os.O_DIRECT)
for number in range(200):
    os.write(1, b"packet\\n" * 585)
os._exit(7)
""",
        ends=("exit 7",),
        answers=("packet",),
    ),
    Behaviour(
        name="program-from-memory",
        does="becomes a program that exists only in memory, called as process 1 is, and forks daemons of it",
        python="""\
import time
one = os.memfd_create("x", 0)
os.write(one, open("/bin/sleep", "rb").read())
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        try:
            os.execve(f"/proc/self/fd/{one}", ["sleep", "3600"], {})
        except OSError as error:
            print(name(error.errno), flush=True)
            os._exit(1)
time.sleep(0.3)
print("left")
""",
        answers=("left", "EACCES", "EPERM", "ENOENT", "ETXTBSY"),
    ),
    Behaviour(
        name="loopback-services",
        does="listens on every port that it can, as root's below 1024 too, and as the engine's resolver",
        python="""\
import socket
held = []
for port in (22, 53, 80, 443, 2375, 4200):
    for address in ("127.0.0.1", "0.0.0.0", "127.0.0.11"):
        one = socket.socket()
        attempt(one.bind, (address, port))
        held.append(one)
""",
        answers=("EACCES", "allowed", "EADDRINUSE"),
        shares=True,
    ),
    Behaviour(
        name="folders-nobody-is-in",
        does="deletes and renames the folders that it is in, and ends in one that is no longer there",
        python="""\
os.makedirs("/workspace/one/two")
os.chdir("/workspace/one/two")
os.rmdir("/workspace/one/two")
attempt(os.rmdir, "/workspace/one")
attempt(os.rmdir, "/workspace")
attempt(os.rename, "/workspace", "/tmp/workspace")
attempt(os.makedirs, "three")
""",
        answers=("allowed", "EBUSY", "EACCES", "EROFS", "ENOENT", "EXDEV", "ENOTEMPTY"),
        reports=(),
    ),
)
