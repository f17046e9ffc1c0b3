"""Workers forked from a process that has imported pytest and Hypothesis once: two thirds of a worker's start.

The fork server runs nothing submitted and is as closed to others as a worker. Both its ends are here.
"""

import contextlib
import os
import select
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final

WORKER: Final = str(Path(__file__).resolve().with_name("worker.py"))
BIRTH_S: Final = 60.0
"""Time to import everything on a busy machine, and to fork."""
NUMBER: Final = struct.Struct("!i")
"""A worker's process id, then how it ended, as `Popen.returncode` has it."""
ORDER: Final = b"fork"
DESCRIPTORS: Final = 5
"""Standard input and output, events, and the stacks of both processes."""


class ForkServer:
    """Makes workers, one at a time.

    Args:
        environment: all of theirs.
        workspace: their folder.
        draws: whether to have Hypothesis import what it imports at its first use.
    """

    def __init__(self, environment: dict[str, str], workspace: str, *, draws: bool) -> None:
        self._environment = environment
        self._workspace = workspace
        self._draws = draws
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None

    @property
    def spared(self) -> tuple[int, ...]:
        """Its process, which must not be killed with those of a worker."""
        return (self._process.pid,) if self._process is not None and self._process.poll() is None else ()

    def start(self) -> None:
        """Begin to import what workers need, unless that has begun; returns at once."""
        if self.spared:
            return
        self._line, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-s", "-P", "-B", WORKER, "forkserver", str(theirs.fileno()), str(int(self._draws))],
                stdin=subprocess.DEVNULL,
                cwd=self._workspace,
                env=self._environment,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )

    def fork(self, descriptors: tuple[int, ...]) -> int | None:
        """The process id of a worker with these descriptors; None where none could be started."""
        for _ in range(2):  # the implementation may have killed or stopped it meanwhile
            self.start()
            with contextlib.suppress(OSError):
                assert self._line is not None  # noqa: S101  # it has been started
                socket.send_fds(self._line, [ORDER], list(descriptors))
                if (pid := self.hear(BIRTH_S)) is not None:
                    return pid
            assert self._process is not None  # noqa: S101  # likewise
            self._process.kill()
            self._process.wait()
        return None

    def hear(self, timeout_s: float | None) -> int | None:
        """A worker's process id once it was forked, then how it ended; None if that takes longer."""
        assert self._line is not None  # noqa: S101  # somebody has had a worker forked
        with contextlib.suppress(OSError, struct.error):
            if select.select([self._line], [], [], timeout_s)[0]:
                return int(NUMBER.unpack(self._line.recv(NUMBER.size))[0])
        return None


def await_fork_request(line: socket.socket) -> tuple[int, int, int] | None:
    """Fork a worker for each order, and tell of its end.

    Returns:
        In a worker its descriptors for events and both stacks; None in the fork server, when nobody orders any more.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # whoever sends some here means a worker
    while True:
        order, descriptors, _, _ = socket.recv_fds(line, len(ORDER), DESCRIPTORS)
        if not order or len(descriptors) != DESCRIPTORS:
            return None
        pid = os.fork()
        if pid == 0:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signal.valid_signals())
            line.close()
            return _settle(descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        line.send(NUMBER.pack(pid))
        line.send(NUMBER.pack(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))


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
