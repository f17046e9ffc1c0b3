"""Runs in the container: what ordinary Python code does must work under the system call list. One function each."""

# A probe uses what programs use, and answers on stdout.
# ruff: noqa: PTH105, S602

import asyncio
import ctypes
import multiprocessing
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import shared_memory
from pathlib import Path


def double(number: int) -> int:
    return 2 * number


def test_processes_by_fork_and_by_spawn() -> None:
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(double, range(5)) == [0, 2, 4, 6, 8]


def test_process_pool_and_thread_pool() -> None:
    with ProcessPoolExecutor(2) as processes, ThreadPoolExecutor(8) as threads:
        assert list(processes.map(double, [1, 2])) == list(threads.map(double, [1, 2])) == [2, 4]


def test_shared_memory_queues_and_locks() -> None:
    memory = shared_memory.SharedMemory(create=True, size=1024)
    memory.buf[:3] = b"abc"
    memory.close()
    memory.unlink()
    queue = multiprocessing.Queue()
    with multiprocessing.Lock():
        queue.put(1)
    assert queue.get(timeout=5) == 1


def test_many_threads() -> None:
    threads = [threading.Thread(target=time.sleep, args=(0.01,)) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_asyncio_with_processes_servers_and_signals() -> None:
    async def main() -> bytes:
        process = await asyncio.create_subprocess_exec("echo", "hi", stdout=asyncio.subprocess.PIPE)
        out, _ = await process.communicate()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(await reader.readline())
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"ping\n")
        assert await reader.readline() == b"ping\n"
        server.close()
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lambda: None)
        return out

    assert asyncio.run(main()) == b"hi\n"


def test_sqlite_in_a_file_with_a_write_ahead_log(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("pragma journal_mode=wal")
    connection.execute("create table t (a)")
    connection.execute("insert into t values (1)")
    connection.commit()
    assert connection.execute("select a from t").fetchall() == [(1,)]


def test_subprocesses_shells_pipes_and_signals() -> None:
    assert (
        subprocess.run("echo a | tr a b; sleep 0.01 & wait", shell=True, capture_output=True, check=True).stdout
        == b"b\n"
    )
    process = subprocess.Popen(["sleep", "60"], start_new_session=True)
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM


def test_files_links_locks_fifos_and_metadata(tmp_path: Path) -> None:
    import fcntl

    file = tmp_path / "a b ü"
    file.write_text("x")
    os.link(file, tmp_path / "hard")
    (tmp_path / "soft").symlink_to(file)
    os.mkfifo(tmp_path / "fifo")
    shutil.copytree(tmp_path, tmp_path.parent / "copy", symlinks=True, ignore=shutil.ignore_patterns("fifo"))
    with file.open("r+") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        os.fsync(handle.fileno())
        os.ftruncate(handle.fileno(), 0)
    os.utime(file, (1, 1))
    file.chmod(0o600)
    os.replace(file, tmp_path / "moved")
    with tempfile.TemporaryFile() as temporary:
        temporary.write(b"x")
        os.sendfile(os.open(tmp_path / "moved", os.O_RDWR), temporary.fileno(), 0, 1)
    shutil.rmtree(tmp_path)


def test_sockets_of_every_ordinary_kind() -> None:
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            socket.socket(family, kind).close()
    left, right = socket.socketpair()
    left.send(b"x")
    assert right.recv(1) == b"x"
    assert socket.getaddrinfo("127.0.0.1", 80)
    assert list(Path("/sys/class/net").iterdir())


def test_clocks_alarms_randomness_and_mappings() -> None:
    import mmap

    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    signal.pause()
    time.clock_gettime(time.CLOCK_MONOTONIC)
    random.SystemRandom().random()
    mmap.mmap(-1, 4096).close()
    os.sync()
    os.memfd_create("x")
    os.eventfd(0)
    os.pidfd_open(os.getpid())
    os.sched_getaffinity(0)
    os.nice(1)


def test_dumpability_can_be_given_up() -> None:
    assert ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0


def test_recursion_and_large_allocations() -> None:
    sys.setrecursionlimit(5_000)

    def down(depth: int) -> int:
        return 0 if depth == 0 else 1 + down(depth - 1)

    assert down(4_000) == 4_000
    assert len(bytearray(200 << 20)) == 200 << 20
