"""One worker process as the supervisor holds it: its three pipes, and its end."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from typing import Any

from refute.driver.forkserver import WORKER, Forked, ForkServer
from refute.driver.processes import Usage, descendants, kill_descendants, usage

CHUNK = 65_536
EVENT_BYTES = 64 * 1024 * 1024
"""What one worker may say in all; honest ones stay under 40 KB an item, and a test may have thousands of them."""
STACK_BYTES = 65_536
STACK_WAIT_S = 0.5


class Flood(Exception):  # a finding about the worker
    """The worker wrote more events than any honest one."""


class Child:
    """A running worker.

    Args:
        job: what `worker.py` reads on its standard input.
        environment: all of its environment.
        output_room: bytes of output still kept; the rest is read and dropped.
        forkserver: to fork it from.
    """

    def __init__(
        self, job: dict[str, Any], environment: dict[str, str], output_room: int, forkserver: ForkServer | None = None
    ) -> None:
        self.output = b""
        self._output_open = True
        self._output_room = output_room
        self._buffer = b""
        self._heard = 0
        self._events, events = os.pipe()
        self._stacks, stacks = os.pipe()
        self._subject_stacks, subject_stacks = os.pipe()
        try:
            descriptors = (events, stacks, subject_stacks)
            forked = forkserver.fork(descriptors) if forkserver is not None else None
            self._process = forked or _start(job["workspace"], environment, descriptors)
        except BaseException:
            os.close(self._events)
            os.close(self._stacks)
            os.close(self._subject_stacks)
            raise
        finally:
            os.close(events)
            os.close(stacks)
            os.close(subject_stacks)
        self._forkserver = forkserver
        self._hand_over(job)
        for descriptor in (self._events, self._stacks, self._subject_stacks, self._stdout):
            os.set_blocking(descriptor, False)

    @property
    def _stdout(self) -> int:
        assert self._process.stdout is not None  # noqa: S101  # opened as a pipe
        return self._process.stdout.fileno()

    def _hand_over(self, job: dict[str, Any]) -> None:
        assert self._process.stdin is not None  # noqa: S101  # opened as a pipe
        with contextlib.suppress(BrokenPipeError):  # it died at once: its silence on the event pipe says so
            self._process.stdin.write(json.dumps(job).encode())
            self._process.stdin.close()

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
            ended = self._process.poll() is not None
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
        return usage(self._process.pid, *descendants(self._process.pid))

    def stacks(self, subject: int) -> tuple[str, str]:
        """Ask for the stacks of all threads, and wait a little for them.

        Returns:
            The worker's and the subject's; the latter is whatever the subject writes.
        """
        if subject in descendants(self._process.pid):
            os.kill(subject, signal.SIGUSR1)
        if self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGUSR1)
        return self._read_stacks(self._stacks), self._read_stacks(self._subject_stacks)

    def _read_stacks(self, source: int) -> str:
        text, deadline = b"", time.monotonic() + STACK_WAIT_S
        while len(text) < STACK_BYTES and time.monotonic() < deadline:
            if select.select([source], [], [], 0.05)[0]:
                part = os.read(source, CHUNK)
                if not part:
                    break
                text += part
            elif text or self._process.poll() is not None:
                break
        return text.decode("utf-8", "replace")

    def end(self, *, wait_s: float = 0.0) -> str:
        """Kill it with all that it started.

        Returns:
            How it had ended by itself, in words; empty if it still ran.

        Raises:
            Flood: something that it started goes on in spite of being killed.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=wait_s)
        code = self._process.poll()
        self._process.kill()
        self._process.wait()
        gone = kill_descendants(self._forkserver.spared if self._forkserver is not None else ())
        self._take_output()
        os.close(self._events)
        os.close(self._stacks)
        os.close(self._subject_stacks)
        if self._process.stdout is not None:
            self._process.stdout.close()
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


def _start(
    workspace: str, environment: dict[str, str], descriptors: tuple[int, int, int]
) -> "subprocess.Popen[bytes] | Forked":
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-s", "-P", "-B", WORKER, *map(str, descriptors)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=workspace,
        env=environment,
        pass_fds=descriptors,
        start_new_session=True,
    )
