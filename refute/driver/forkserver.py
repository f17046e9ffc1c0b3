"""Workers forked from a process that has imported pytest and Hypothesis once: two thirds of a worker's start.

Only mutants are tested so: many workers, each for the same few tests. The forkserver runs nothing submitted and is as
closed to others as a worker. Where it does not answer, workers are started the usual way.
"""

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from io import FileIO
from pathlib import Path

WORKER = str(Path(__file__).resolve().with_name("worker.py"))
BIRTH_S = 60.0
"""Time to import everything on a busy machine, and to fork."""
ORDER = b"fork"
PATIENCE_S = 0.005


class Forked:
    """A forked worker, held as `subprocess.Popen` holds its process; it is a child of ours, orphaned at birth."""

    def __init__(self, pid: int, stdin: int, stdout: int) -> None:
        self.pid = pid
        self.stdin = FileIO(stdin, "wb")
        self.stdout = FileIO(stdout, "rb")
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self.returncode is None:
            try:
                gone, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else has reaped it
                gone, status = self.pid, 0
            if gone:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired: it goes on."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(WORKER, timeout or 0.0)
            time.sleep(PATIENCE_S)
        return code

    def kill(self) -> None:
        """Kill it, if it still runs."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


class ForkServer:
    """Makes workers by forking."""

    def __init__(self, environment: dict[str, str], workspace: str, *, warm: bool) -> None:
        self._environment = environment
        self._workspace = workspace
        self._warm = warm
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._given_up = False

    @property
    def spared(self) -> tuple[int, ...]:
        """Its process, which must not be killed with those of a worker."""
        process = self._process
        return (process.pid,) if process is not None and process.poll() is None else ()

    def start(self) -> None:
        """Begin to import what workers need; returns at once."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._line = ours
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-s", "-P", "-B", WORKER, "forkserver", str(theirs.fileno()), str(int(self._warm))],
                stdin=subprocess.DEVNULL,
                cwd=self._workspace,
                env=self._environment,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )

    def fork(self, descriptors: tuple[int, int, int]) -> Forked | None:
        """A worker with these descriptors for events and stacks; None where the forkserver does not answer."""
        if self._given_up or self._line is None:
            return None
        stdin, ours_in = os.pipe()
        ours_out, stdout = os.pipe()
        try:
            pid = self._ask((stdin, stdout, *descriptors))
        finally:
            os.close(stdin)
            os.close(stdout)
        if pid is None:
            os.close(ours_in)
            os.close(ours_out)
            self._given_up = True
            self.close()
            return None
        return Forked(pid, ours_in, ours_out)

    def _ask(self, descriptors: tuple[int, ...]) -> int | None:
        assert self._line is not None  # noqa: S101  # looked at before
        try:
            socket.send_fds(self._line, [ORDER], list(descriptors))
            if not select.select([self._line], [], [], BIRTH_S)[0]:
                return None
            return int(self._line.recv(20)) or None
        except (OSError, ValueError):
            return None

    def close(self) -> None:
        """End it."""
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()


ORDER_BYTES = 16
DESCRIPTORS = 5
"""Standard input and output, events, and the stacks of both processes."""


def await_fork_request(line: socket.socket) -> tuple[int, int, int] | None:
    """Fork a worker for each order.

    Returns:
        In a worker its descriptors for events and both stacks; None in the forkserver, when nobody orders any more.
    """
    while True:
        order, descriptors, _, _ = socket.recv_fds(line, ORDER_BYTES, DESCRIPTORS)
        if not order or len(descriptors) != DESCRIPTORS:
            return None
        pid = _fork_orphan()
        if pid == 0:
            line.close()
            return _settle(descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        line.send(str(pid).encode())


def _fork_orphan() -> int:
    """A grandchild whose parent is gone, so that the supervisor, which takes orphans, can wait for it.

    Returns:
        0 in the grandchild, its process id here.
    """
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        grandchild = os.fork()
        if grandchild == 0:
            os.close(told)
            os.close(tell)
            return 0
        os.write(tell, str(grandchild).encode())
        os._exit(0)
    os.close(tell)
    os.waitpid(child, 0)
    with os.fdopen(told, "rb") as pipe:
        return int(pipe.read())


def _settle(descriptors: list[int]) -> tuple[int, int, int]:
    """Be a process like one that was started with these descriptors."""
    os.setsid()
    stdin, stdout, events, stacks, subject_stacks = descriptors
    os.dup2(stdin, 0)
    os.dup2(stdout, 1)
    os.dup2(stdout, 2)
    os.close(stdin)
    os.close(stdout)
    return events, stacks, subject_stacks
