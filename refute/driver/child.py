"""Workers as the supervisor holds them: forked from a process that has imported everything once, and their ends."""

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from refute.driver.processes import Usage, descendants, kill_descendants, usage

WORKER: Final = str(Path(__file__).resolve().with_name("worker.py"))
BIRTH_S: Final = 60.0
"""Time to import everything on a busy machine, and to fork."""
TOLD: Final = struct.Struct("!ii")
"""A worker's process id with `BORN`, then with how it ended, as `Popen.returncode` has it."""
BORN: Final = 1 << 16
ORDER: Final = b"fork"
DESCRIPTORS: Final = 5
"""Standard input and output, events, and the stacks of both processes."""


class ForkServer:
    """Makes workers, one at a time.

    Args:
        environment: all of theirs.
        workspace: their folder.
        draws: whether they need Hypothesis.
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
            with contextlib.suppress(OSError):
                self.start()
                assert self._line is not None  # noqa: S101  # it has been started
                socket.send_fds(self._line, [ORDER], list(descriptors))
                while told := self.hear(BIRTH_S):  # how an earlier one ended may have come too late to be read
                    if told[1] == BORN:
                        return told[0]
            if self._process is not None:
                self._process.kill()
                self._process.wait()
        return None

    def hear(self, timeout_s: float | None) -> tuple[int, int] | None:
        """What is told next of a worker; None if that takes longer."""
        assert self._line is not None  # noqa: S101  # somebody has had a worker forked
        with contextlib.suppress(OSError, struct.error):
            if select.select([self._line], [], [], timeout_s)[0]:
                pid, what = TOLD.unpack(self._line.recv(TOLD.size))
                return pid, what
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
        line.send(TOLD.pack(pid, BORN))
        line.send(TOLD.pack(pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))


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


CHUNK = 65_536
EVENT_BYTES = 64 * 1024 * 1024
"""What one worker may say in all; honest ones stay under 40 KB an item, and a test may have thousands of them."""
STACK_BYTES = 65_536
STACK_WAIT_S = 0.5
KILLED_S = 5.0
"""Time for a killed process to be gone."""
NOT_STARTED = 70
"""EX_SOFTWARE of sysexits.h."""


class Flood(Exception):  # a finding about the worker
    """The worker wrote more events than any honest one."""


class Child:
    """A running worker.

    Args:
        job: what `worker.py` reads on its standard input.
        output_room: bytes of output still kept; the rest is read and dropped.
        forkserver: to fork it from.
    """

    def __init__(self, job: dict[str, Any], output_room: int, forkserver: ForkServer) -> None:
        self.output = b""
        self._output_open = True
        self._output_room = output_room
        self._buffer = b""
        self._heard = 0
        self._forkserver = forkserver
        stdin, handing = os.pipe()
        pipes = [os.pipe() for _ in range(4)]
        self._events, self._stacks, self._subject_stacks, self._stdout = self._ours = [ours for ours, _ in pipes]
        *theirs, stdout = [end for _, end in pipes]
        try:
            self._pid = forkserver.fork((stdin, stdout, *theirs)) or 0
        finally:
            for end in (stdin, stdout, *theirs):
                os.close(end)
        self._code = None if self._pid else NOT_STARTED
        # It may have died at once: its silence on the event pipe says so.
        with contextlib.suppress(BrokenPipeError), os.fdopen(handing, "wb") as pipe:
            pipe.write(json.dumps(job).encode())
        for descriptor in self._ours:
            os.set_blocking(descriptor, False)

    def _ended(self, timeout_s: float = 0.0) -> int | None:
        """How it has ended, negative for a signal; None while it runs."""
        if self._code is None:
            told = self._forkserver.hear(timeout_s)
            self._code = told[1] if told else None
            if self._code is None and not self._forkserver.spared:  # whoever killed that has left us nothing to ask
                self._kill()
                self._code = -signal.SIGKILL
        return self._code

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)

    def listen(self, timeout_s: float) -> list[bytes] | None:
        """Wait for events.

        Returns:
            Whole lines, perhaps none; None when the worker has ended and everything was read.

        Raises:
            Flood: it said more than any honest worker.
        """
        deadline = time.monotonic() + max(timeout_s, 0.0)
        while True:
            # Asked before looking at the pipes: what it wrote before its end is read, and a descendant that holds
            # the pipes open does not keep us waiting.
            ended = self._ended() is not None
            wait_s = 0.0 if ended else min(max(deadline - time.monotonic(), 0.0), 0.1)
            sources = [self._events, self._stdout] if self._output_open else [self._events]
            ready, _, _ = select.select(sources, [], [], wait_s)
            if self._stdout in ready:
                self._take_output()
            if self._events in ready:
                lines = self._take_events()
                if lines is None or lines:
                    return lines
            elif ended:
                return None
            if time.monotonic() >= deadline:
                return []

    def usage(self) -> Usage:
        """The use of processors so far, of the worker and of all below it: the implementation runs in one of those."""
        return usage(self._pid, *descendants(self._pid))

    def stacks(self, subject: int) -> tuple[str, str]:
        """Ask for the stacks of all threads, and wait a little for them.

        Returns:
            The worker's and the subject's; the latter is whatever the subject writes.
        """
        if subject in descendants(self._pid):
            os.kill(subject, signal.SIGUSR1)
        if self._ended() is None:
            os.kill(self._pid, signal.SIGUSR1)
        return self._read_stacks(self._stacks), self._read_stacks(self._subject_stacks)

    def _read_stacks(self, source: int) -> str:
        text, deadline = b"", time.monotonic() + STACK_WAIT_S
        while len(text) < STACK_BYTES and time.monotonic() < deadline:
            if select.select([source], [], [], 0.05)[0]:
                part = os.read(source, CHUNK)
                if not part:
                    break
                text += part
            elif text or self._ended() is not None:
                break
        return text.decode("utf-8", "replace")

    def end(self, *, wait_s: float = 0.0) -> str:
        """Kill it with all that it started.

        Returns:
            How it had ended by itself, in words; empty if it still ran.

        Raises:
            Flood: something that it started goes on in spite of being killed.
        """
        code = self._ended(wait_s)
        gone = kill_descendants(self._forkserver.spared)  # it too; a fork bomb would keep it from ending
        if code is None:
            self._ended(KILLED_S)
        self._take_output()
        for descriptor in self._ours:
            os.close(descriptor)
        if not gone:
            raise Flood("processes that the attack started could not be stopped")
        if code is None:
            return ""
        return f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.strsignal(-code)})"

    def _take_output(self) -> None:
        for _ in range(64):
            try:
                part = os.read(self._stdout, CHUNK)
            except BlockingIOError:
                return
            if not part:
                self._output_open = False
                return
            kept = part[: self._output_room]
            self._output_room -= len(kept)
            self.output += kept

    def _take_events(self) -> list[bytes] | None:
        part = os.read(self._events, CHUNK)
        if not part:
            return None
        self._heard += len(part)
        if self._heard > EVENT_BYTES:
            raise Flood("the result channel was flooded")
        *lines, self._buffer = (self._buffer + part).split(b"\n")
        return lines
