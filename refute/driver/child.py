"""One worker process as the supervisor holds it: its three pipes, and its end."""

import contextlib
import json
import os
import select
import signal
import time
from typing import Any

from refute.driver.forkserver import ForkServer
from refute.driver.processes import Usage, descendants, kill_descendants, usage

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
            self._code = self._forkserver.hear(timeout_s)
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
        if code is None:
            self._kill()
            self._ended(KILLED_S)
        gone = kill_descendants(self._forkserver.spared)
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
