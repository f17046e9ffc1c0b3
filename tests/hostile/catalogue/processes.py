"""Processes, signals and scheduling."""

from tests.hostile.behaviour import Behaviour

# A loop of the shell that leaves a bomb running is named pids as well: the processes are still there at its end.
PROCESSES = (
    Behaviour(
        name="fork-bomb",
        does="doubles itself without end",
        bash="bomb() { bomb | bomb & }; bomb; sleep 1; python3 -c 'import os; os.fork()'",
        ends=("pids",),
    ),
    Behaviour(
        name="fork-bomb-left-behind",
        does="starts a fork bomb in the background and exits 0 at once",
        bash="bomb() { bomb | bomb & }; bomb",
        ends=("pids",),
    ),
    Behaviour(
        name="thread-bomb",
        does="starts threads without end",
        python="import threading, time\n"
        "while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        ends=("pids",),
    ),
    Behaviour(
        name="fork-bomb-handled",
        does="forks until it is refused, and handles that",
        python="""\
import time
try:
    while True:
        if os.fork() == 0:
            time.sleep(600)
except OSError as error:
    print(name(error.errno))
""",
        ends=("pids",),
        answers=("EAGAIN",),
    ),
    Behaviour(
        name="zombies",
        does="hoards children that ended and are never waited for",
        python="""\
try:
    while True:
        if os.fork() == 0:
            os._exit(0)
except OSError as error:
    print(name(error.errno))
""",
        ends=("exit 0", "pids"),
        answers=("EAGAIN",),
    ),
    Behaviour(
        name="orphans",
        does="leaves 300 orphans that ended to PID 1",
        bash="for i in $(seq 300); do ( true & ); done; sleep 0.2; echo done",
        answers=("done",),
        limits={"pids": 64},
    ),
    Behaviour(
        name="daemon-setsid",
        does="leaves a daemon in a session of its own that writes for ever",
        bash="setsid sh -c 'while :; do echo leak > /tmp/leak; echo leak > /workspace/leak; done' >/dev/null 2>&1 & "
        "sleep 0.2; echo left",
        answers=("left",),
    ),
    Behaviour(
        name="daemon-double-fork",
        does="leaves a daemon, forked twice, with another name, no environment and no descriptors",
        python="""\
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 1024)
    os.execve("/bin/sleep", ["[kworker/0:1]", "600"], {})
print("left")
""",
        answers=("left",),
    ),
    Behaviour(
        name="term-proof-loop",
        does="ignores every signal that can be ignored and spins",
        bash="trap '' TERM INT HUP QUIT ALRM USR1 USR2; while :; do :; done",
        ends=("timed out",),
        limits={"timeout_s": 0.7},
    ),
    Behaviour(
        name="all-descriptors-closed",
        does="closes every descriptor and sleeps",
        python="import time\nos.closerange(0, 1024)\ntime.sleep(600)",
        ends=("timed out",),
        limits={"timeout_s": 0.7},
    ),
    Behaviour(
        name="stops-itself",
        does="stops itself and its process group",
        python="import signal\nos.killpg(0, signal.SIGSTOP)",
        ends=("timed out",),
        limits={"timeout_s": 0.7},
    ),
    Behaviour(
        name="kill-pid-1",
        does="sends PID 1 KILL, STOP, TERM, SEGV and a real-time signal",
        shares=True,
        python="for number in (9, 19, 15, 11, 40): attempt(os.kill, 1, number)",
        answers=("EPERM",),
    ),
    Behaviour(
        name="kill-everything",
        does="kills every process that it may (`kill -9 -1`)",
        python="""\
import subprocess, time
subprocess.Popen(["setsid", "sleep", "600"])
time.sleep(0.1)
os.kill(-1, 9)
print("survived")
""",
        answers=("survived",),
    ),
    Behaviour(
        name="kill-by-number",
        does="kills every process number from 2 to 40,000 but its own, the host's among them",
        python="""\
for number in range(2, 40_000):
    if number != os.getpid():
        try:
            os.kill(number, 9)
        except OSError as error:
            found = error.errno
print(name(found))
""",
        answers=("ESRCH",),
    ),
    Behaviour(
        name="pid-1-memory",
        does="opens PID 1's memory, map, environment, descriptors, root and working directory",
        shares=True,
        python="""\
for part in ("mem", "maps", "environ", "auxv", "stack"):
    attempt(open, f"/proc/1/{part}", "rb")
attempt(open, "/proc/1/mem", "r+b")
for part in ("fd", "root", "cwd", "map_files"):
    attempt(os.listdir, f"/proc/1/{part}")
""",
        answers=("EACCES", "EPERM", "ENOENT"),
    ),
    Behaviour(
        name="pid-1-limits",
        does="takes PID 1's descriptors away, changes its priority and its weight for the memory killer",
        shares=True,
        python="""\
import resource
attempt(resource.prlimit, 1, resource.RLIMIT_NOFILE, (0, 0))
attempt(os.setpriority, os.PRIO_PROCESS, 1, 19)
attempt(write, "/proc/1/oom_score_adj", "1000")
attempt(os.sched_setaffinity, 1, {0})
""",
        answers=("EACCES", "EPERM"),
    ),
    Behaviour(
        name="priority",
        does="asks for real-time scheduling, a better priority and real-time disk access",
        shares=True,
        python="""\
attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(50))
attempt(os.sched_setscheduler, 0, os.SCHED_RR, os.sched_param(1))
attempt(os.setpriority, os.PRIO_PROCESS, 0, -20)
syscall(251, 1, 0, 1 << 13)
syscall(314, 0, b"".join([(56).to_bytes(4, "little"), (6).to_bytes(4, "little"), bytes(16)]) + bytes(32), 0)
""",
        answers=("EACCES", "EPERM", "EINVAL"),
    ),
    Behaviour(
        name="memory-killer-exempt",
        does="makes itself exempt from the memory killer",
        shares=True,
        python='attempt(write, "/proc/self/oom_score_adj", "-1000")',
        answers=("EACCES", "EPERM"),
    ),
    Behaviour(
        name="limits-raised",
        does="raises its own limits of descriptors, core, file size and locked memory",
        shares=True,
        python="""\
import resource
for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
    try:
        resource.setrlimit(which, (2**40, 2**40))
        print("allowed")
    except (OSError, ValueError):
        print("refused")
""",
        answers=("refused",),
    ),
    Behaviour(
        name="terminals",
        does="opens pseudo-terminals until there are no more, of which all containers of a machine share some 3,000",
        python="""\
import time
for _ in range(8):
    if os.fork() == 0:
        held = []
        try:
            while True:
                held.append(os.openpty())
        except OSError as error:
            os.write(1, name(error.errno).encode() + b"\\n")
        time.sleep(600)
time.sleep(1)
taken = "/proc/sys/kernel/pty/nr"
print("others keep theirs" if not os.path.exists(taken) or int(open(taken).read()) < 1000 else "took others'")
""",
        answers=("others keep theirs", "EMFILE", "ENOSPC", "EIO", "EAGAIN", "ENOMEM"),
    ),
    Behaviour(
        name="inotify-instances",
        does="takes every inotify instance of its user",
        shares=True,
        exhausts_user=True,
        python="""\
while True:
    if libc.inotify_init() < 0:
        print(name(ctypes.get_errno()))
        break
""",
        answers=("EMFILE",),
    ),
    Behaviour(
        name="timers",
        does="makes POSIX timers until there are no more",
        exhausts_user=True,
        python="""\
made = 0
while made < 300_000:
    timer = ctypes.c_long()
    if libc.syscall(ctypes.c_long(222), ctypes.c_long(1), None, ctypes.byref(timer)) < 0:
        break
    made += 1
print("bounded" if made < 300_000 else "unbounded")
""",
        ends=("exit 0", "memory"),
        answers=("bounded",),
    ),
    Behaviour(
        name="queued-signals",
        does="queues real-time signals to itself until there is no more room",
        exhausts_user=True,
        python="""\
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, {40})
info = (40).to_bytes(4, "little") + bytes(4) + (0xFFFFFFFF).to_bytes(4, "little") + bytes(116)
sent = 0
while sent < 300_000 and libc.syscall(ctypes.c_long(129), ctypes.c_long(os.getpid()), ctypes.c_long(40), info) == 0:
    sent += 1
print("bounded" if sent < 300_000 else "unbounded")
""",
        ends=("exit 0", "memory"),
        answers=("bounded",),
    ),
    Behaviour(
        name="busy-in-the-kernel",
        does="keeps 12 processes in long system calls while the job ends, so that they are hard to freeze",
        python="""\
import time
source = os.open("/dev/zero", os.O_RDONLY)
for number in range(12):
    if os.fork() == 0:
        room = bytearray(16 << 20)
        while True:
            os.readv(source, [room] * 64)
            os.listdir("/proc/self/task")
time.sleep(1)
print("left")
""",
        answers=("left",),
    ),
    Behaviour(
        name="exec-loop",
        does="becomes another program again and again, in 20 processes, so that none stands still to be looked at",
        bash='for i in $(seq 20); do (exec bash -c \'exec bash -c "$0" "$0"\' \'exec bash -c "$0" "$0"\') & done; wait',
        ends=("timed out",),
        limits={"timeout_s": 0.7},
    ),
    Behaviour(
        name="descriptor-signals",
        does="has the kernel signal PID 1 and everybody else for it (file owners, pidfds)",
        python="""\
import fcntl
for target in (1, -1):
    reading, writing = os.pipe()
    try:
        fcntl.fcntl(reading, fcntl.F_SETOWN, target)
        fcntl.fcntl(reading, fcntl.F_SETSIG, 9)
        fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)
        os.write(writing, b"x")
    except OSError:
        pass
attempt(lambda: __import__("signal").pidfd_send_signal(os.pidfd_open(1), 9))
""",
        answers=("EPERM",),
        ends=("exit 0", "exit 137"),
    ),
    Behaviour(
        name="output-made-non-blocking",
        does="makes its output non-blocking and tiny, writes a megabyte to it, and reads it back",
        python="""\
import fcntl
fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 4096)
os.set_blocking(1, False)
for _ in range(1000):
    try:
        os.write(1, b"x" * 999 + b"\\n")
    except OSError:
        pass
try:
    os.read(os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK), 100)
except OSError:
    pass
os._exit(3)
""",
        ends=("exit 3",),
    ),
    Behaviour(
        name="subreaper",
        does="makes itself the reaper of orphans and never reaps",
        python="""\
import time
libc.prctl(36, 1, 0, 0, 0)
for _ in range(100):
    if os.fork() == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
print("left")
""",
        answers=("left",),
    ),
)
