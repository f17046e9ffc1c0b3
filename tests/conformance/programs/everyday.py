"""Runs in the container: one function for each thing that ordinary code asks of a kernel. Judged from outside."""

# Programs use what programs use.
# ruff: noqa: PTH105, PTH208, S602, SIM115, SIM117

import asyncio
import concurrent.futures
import ctypes
import fcntl
import mmap
import multiprocessing
import os
import pty
import resource
import select
import selectors
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from multiprocessing import shared_memory
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)


def double(number: int) -> int:
    return 2 * number


def test_threads_locks_and_conditions() -> None:
    done = threading.Barrier(51)
    for _ in range(50):
        threading.Thread(target=done.wait, daemon=True).start()
    done.wait(timeout=30)


def test_multiprocessing_by_fork() -> None:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(double, range(5)) == [0, 2, 4, 6, 8]


def test_multiprocessing_by_spawn() -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(double, range(5)) == [0, 2, 4, 6, 8]


def test_multiprocessing_by_forkserver_with_a_manager() -> None:
    with multiprocessing.get_context("forkserver").Manager() as manager:
        shared = manager.dict(a=1)
        assert dict(shared) == {"a": 1}


def test_process_and_thread_pools() -> None:
    with concurrent.futures.ProcessPoolExecutor(2) as processes, concurrent.futures.ThreadPoolExecutor(8) as threads:
        assert list(processes.map(double, [1, 2])) == list(threads.map(double, [1, 2])) == [2, 4]


def test_posix_semaphores_queues_and_shared_memory() -> None:
    memory = shared_memory.SharedMemory(create=True, size=1024)
    memory.buf[:3] = b"abc"
    memory.close()
    memory.unlink()
    queue = multiprocessing.Queue()
    with multiprocessing.Semaphore(2), multiprocessing.RLock():
        queue.put(1)
    assert queue.get(timeout=30) == 1


def test_asyncio_streams_processes_and_signals() -> None:
    async def main() -> bytes:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(await reader.readline())
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"ping\n")
        assert await reader.readline() == b"ping\n"
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lambda: None)
        process = await asyncio.create_subprocess_exec("echo", "hi", stdout=asyncio.subprocess.PIPE)
        return (await process.communicate())[0]

    assert asyncio.run(main()) == b"hi\n"


def test_sqlite_with_a_write_ahead_log_and_a_second_connection(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.db") as one:
        one.execute("pragma journal_mode=wal")
        one.execute("create table t (a)")
        one.execute("insert into t values (1)")
    with sqlite3.connect(tmp_path / "x.db") as two:
        assert two.execute("select a from t").fetchall() == [(1,)]


def test_subprocesses_shells_and_pipelines() -> None:
    piped = subprocess.run("echo a | tr a b; sleep 0.01 & wait", shell=True, capture_output=True, check=True)
    assert piped.stdout == b"b\n"


def test_sessions_groups_and_signals_to_them() -> None:
    process = subprocess.Popen(["sleep", "60"], start_new_session=True)
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM


def test_posix_spawn_and_vfork() -> None:
    child = os.posix_spawn("/bin/true", ["true"], {})
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_timers_and_alarms() -> None:
    heard = []
    signal.signal(signal.SIGALRM, lambda *_: heard.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    deadline = time.monotonic() + 30
    while not heard and time.monotonic() < deadline:
        time.sleep(0.01)
    assert heard


def test_signals_masked_waited_for_and_as_a_descriptor() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    os.kill(os.getpid(), signal.SIGUSR2)
    assert signal.sigtimedwait([signal.SIGUSR2], 30).si_signo == signal.SIGUSR2


def test_clocks_and_sleeping() -> None:
    for clock in (time.CLOCK_MONOTONIC, time.CLOCK_REALTIME, time.CLOCK_PROCESS_CPUTIME_ID, time.CLOCK_BOOTTIME):
        assert time.clock_gettime(clock) >= 0
        time.clock_getres(clock)
    time.sleep(0.001)


def test_random_numbers_from_the_kernel() -> None:
    assert len(os.urandom(16)) == len(os.getrandom(16)) == 16
    assert len(Path("/dev/urandom").open("rb").read(16)) == 16


def test_memory_mapped_files_and_anonymous_memory(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(bytes(8192))
    with (tmp_path / "x").open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[:3] = b"abc"
        mapped.flush()
        mapped.madvise(mmap.MADV_DONTNEED)
    assert (tmp_path / "x").read_bytes()[:3] == b"abc"
    with mmap.mmap(-1, 1 << 20) as anonymous:
        anonymous.resize(2 << 20)


def test_executable_memory_for_callbacks() -> None:
    assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(double)(4) == 8


def test_files_in_memory_with_seals() -> None:
    descriptor = os.memfd_create("x", os.MFD_ALLOW_SEALING)
    os.write(descriptor, b"abc")
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
    assert fcntl.fcntl(descriptor, fcntl.F_GET_SEALS) & fcntl.F_SEAL_WRITE


def test_locks_on_files(tmp_path: Path) -> None:
    with (tmp_path / "x").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        fcntl.lockf(file, fcntl.LOCK_EX)
        fcntl.lockf(file, fcntl.LOCK_UN)


def test_descriptor_flags_duplicates_and_pipe_sizes() -> None:
    reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    fcntl.fcntl(writing, fcntl.F_SETFL, fcntl.fcntl(writing, fcntl.F_GETFL) & ~os.O_NONBLOCK)
    fcntl.fcntl(writing, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    assert fcntl.fcntl(reading, fcntl.F_DUPFD_CLOEXEC, 100) >= 100
    assert fcntl.fcntl(reading, fcntl.F_DUPFD, 100) >= 100
    assert fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ) >= 4096
    fcntl.fcntl(reading, fcntl.F_SETOWN, os.getpid())
    os.dup2(reading, 200)


def test_select_poll_and_epoll() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"x")
    assert select.select([reading], [], [], 30)[0] == [reading]
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    assert poll.poll(30_000)
    with selectors.DefaultSelector() as selector:
        selector.register(reading, selectors.EVENT_READ)
        assert selector.select(30)


def test_event_descriptors_and_process_descriptors() -> None:
    descriptor = os.eventfd(1)
    assert os.eventfd_read(descriptor) == 1
    child = os.fork()
    if child == 0:
        os._exit(7)
    assert os.waitid(os.P_PIDFD, os.pidfd_open(child), os.WEXITED).si_status == 7


def test_watching_files_change(tmp_path: Path) -> None:
    watcher = LIBC.inotify_init1(os.O_NONBLOCK)
    assert LIBC.inotify_add_watch(watcher, str(tmp_path).encode(), 0x100) > 0
    (tmp_path / "new").touch()
    assert os.read(watcher, 4096)


def test_sockets_over_loopback_of_both_versions_and_kinds() -> None:
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family, socket.SOCK_DGRAM) as one, socket.socket(family, socket.SOCK_DGRAM) as two:
            try:
                one.bind((address, 0))
            except OSError:
                continue  # a namespace without IPv6
            two.sendto(b"x", one.getsockname()[:2])
            assert one.recv(1) == b"x"
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            served, _ = server.accept()
            client.sendall(bytes(100_000))
            assert served.recv(1) == b"\0"
            served.close()


def test_unix_sockets_that_pass_descriptors(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
    left, right = socket.socketpair()
    socket.send_fds(left, [b"x"], [0])
    assert len(socket.recv_fds(right, 1, 1)[1]) == 1


def test_options_of_sockets() -> None:
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as server:
        with socket.create_connection(server.getsockname()) as client:
            for option in (socket.TCP_NODELAY, socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_USER_TIMEOUT):
                client.setsockopt(socket.IPPROTO_TCP, option, 5)
            for option in (socket.SO_KEEPALIVE, socket.SO_RCVBUF, socket.SO_REUSEADDR):
                client.setsockopt(socket.SOL_SOCKET, option, 1)
            client.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 5)
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM, socket.IPPROTO_TCP) as six:
            six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)


def test_names_of_the_machine_without_a_network() -> None:
    assert socket.gethostbyname("localhost") == socket.gethostbyname(socket.gethostname()) == "127.0.0.1"
    assert socket.getaddrinfo("127.0.0.1", 80)
    assert "lo" in os.listdir("/sys/class/net")
    assert os.uname().sysname == "Linux"


def test_pseudo_terminals() -> None:
    child, terminal = pty.fork()
    if child == 0:
        os._exit(0 if os.isatty(1) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(terminal)


def test_links_names_permissions_and_times(tmp_path: Path) -> None:
    file = tmp_path / "a b ü"
    file.write_text("x")
    os.link(file, tmp_path / "hard")
    (tmp_path / "soft").symlink_to(file)
    os.mkfifo(tmp_path / "fifo")
    file.chmod(0o600)
    os.utime(file, (1, 1))
    os.replace(file, tmp_path / "moved")
    os.chown(tmp_path / "moved", os.getuid(), os.getgid())
    assert (tmp_path / "moved").stat().st_mtime == 1
    shutil.copytree(tmp_path, tmp_path.parent / "copy", symlinks=True, ignore=shutil.ignore_patterns("fifo"))
    shutil.rmtree(tmp_path)


def test_temporary_files_and_copies_in_the_kernel() -> None:
    with tempfile.TemporaryFile() as source, tempfile.NamedTemporaryFile() as target, tempfile.TemporaryDirectory():
        source.write(b"abc")
        source.seek(0)
        os.sendfile(target.fileno(), source.fileno(), 0, 3)
        os.posix_fallocate(target.fileno(), 0, 4096)
        os.fsync(target.fileno())
        os.ftruncate(target.fileno(), 3)
        assert Path(target.name).read_bytes() == b"abc"


def test_archives(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    shutil.make_archive(str(tmp_path.parent / "all"), "gztar", tmp_path)
    with zipfile.ZipFile(tmp_path / "z.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.write(tmp_path / "x")


def test_limits_of_its_own_can_be_lowered() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 40, resource.RLIM_INFINITY))


def test_priorities_affinity_and_process_names() -> None:
    os.nice(1)
    assert os.sched_getaffinity(0)
    os.sched_yield()
    assert LIBC.prctl(15, b"renamed", 0, 0, 0) == 0
    assert LIBC.prctl(4, 0, 0, 0, 0) == 0


def test_the_users_own_facts() -> None:
    import getpass
    import pwd

    assert os.getuid() == os.geteuid() == 65532
    assert pwd.getpwuid(os.getuid()).pw_name == getpass.getuser()
    assert Path.home() == Path(os.environ["HOME"])
    Path("~/.config/x").expanduser().mkdir(parents=True)


def test_deep_recursion_and_200_mb() -> None:
    sys.setrecursionlimit(5_000)

    def down(depth: int) -> int:
        return 0 if depth == 0 else 1 + down(depth - 1)

    assert down(4_000) == 4_000
    assert len(bytearray(b"x") * (200 << 20)) == 200 << 20


def test_what_proc_tells_about_itself() -> None:
    assert "VmRSS" in Path("/proc/self/status").read_text()
    assert os.listdir("/proc/self/fd")
    assert os.cpu_count() >= 1
    assert os.getloadavg()
    assert shutil.disk_usage("/workspace").total > 0
