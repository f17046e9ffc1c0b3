"""Running the command in a container that stands: fill, collect output, until one of the ends comes first."""

import contextlib
import threading
import time
from dataclasses import dataclass
from queue import Empty
from typing import Final

from docker.utils.socket import frames_iter

from refute.errors import CommandNotStarted, EngineDied, SandboxFailed
from refute.sandbox.connection import LOST, START_HINT, engine_errors
from refute.sandbox.job import Job
from refute.sandbox.output import STDERR, STDOUT, CappedOutput
from refute.sandbox.ready_container import FILL_TIMEOUT_S, ReadyContainer
from refute.sandbox.watch import CommandEnded, Event, Signal
from refute.sandbox.workspace import FILLED, WAITING, job_parts

DRAIN_TIMEOUT_S: Final = 5.0
"""After the command's end: its output is still on the way, or background processes hold the pipe open."""
STREAM_END_EXPLAINED_WITHIN_S: Final = 3.0
"""A stream that ends before the fill did: the exit code follows, or word that the engine is gone, or nothing, where the
engine failed to start the shell."""
MAX_FILL_MESSAGES: Final = 65_536
NOT_STARTED_HINT: Final = "Nothing of the job ran. Is the machine overloaded? Run fewer at once; see the engine's log."
NOT_FILLED_HINT: Final = "Is the snapshot larger than the workspace or the memory that a job may use?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a command's run ended, before anybody asks why."""

    exit_code: int | None = None
    """None where it had to be ended."""
    overflow: bool = False
    container_ended: bool = False
    out_of_memory: bool = False
    duration_s: float
    stdout: str
    stderr: str


class Execution:
    """One run of one job's command."""

    def __init__(self, ready: ReadyContainer, job: Job) -> None:
        self._ready = ready
        self._job = job
        self._signals = ready.signals
        self._output = CappedOutput(limit_bytes=job.limits.output_bytes)
        self._fill_messages = bytearray()
        self._filled = False
        self._out_of_memory = False

    def run(self) -> Ending:
        """Fill the container, run the command, wait for an end.

        Raises:
            EngineDied: the engine went away.
            CommandNotStarted: it could not start the command, or was too slow; it may be tried again.
            SandboxFailed: the container could not be filled.
        """
        reader = threading.Thread(target=self._read, name="refute-output", daemon=True)
        reader.start()
        try:
            self._ready.send(job_parts(self._job))
            self._await_fill(reader)
            return self._await_end(reader)
        finally:
            self._ready.hang_up()
            reader.join(timeout=DRAIN_TIMEOUT_S)

    def _read(self) -> None:
        with contextlib.suppress(*LOST, OSError, ValueError):  # closing breaks the read
            for number, data in frames_iter(self._ready.stream, tty=False):  # type: ignore[no-untyped-call]
                if not self._feed(number, data):
                    self._signals.put(Event.OUTPUT_OVERFLOW)
                    return
        self._signals.put(Event.STREAM_ENDED)

    def _feed(self, number: int, data: bytes) -> bool:
        if self._filled:
            return self._output.feed(number, data)
        if number != STDOUT:
            # The two streams overtake each other: this may be the command's own, ahead of the marker on stdout.
            self._output.feed(number, data)
            return True
        self._fill_messages += data[:MAX_FILL_MESSAGES]
        before, marker, after = self._fill_messages.partition(FILLED)
        if not marker:
            return len(before) < MAX_FILL_MESSAGES
        self._filled = True
        self._signals.put(Event.STARTED)
        return self._output.feed(STDOUT, bytes(after)) and not self._output.was_cut

    def _await_fill(self, reader: threading.Thread) -> None:
        deadline = time.monotonic() + FILL_TIMEOUT_S
        while True:
            match self._next(deadline):
                case Event.STARTED:
                    return
                case Event.ENGINE_LOST:
                    raise _engine_lost()
                case Event.OUT_OF_MEMORY:
                    self._out_of_memory = True
                case CommandEnded() | Event.CONTAINER_ENDED as ended:
                    reader.join(timeout=DRAIN_TIMEOUT_S)  # a quick command's end overtakes its output
                    if not self._filled:
                        raise self._not_filled(ended)
                    self._signals.put(ended)
                    return
                case None | Event.OUTPUT_OVERFLOW as end:
                    if not self._filled:
                        raise self._not_filled(end)
                case Event.STREAM_ENDED:
                    deadline = min(deadline, time.monotonic() + STREAM_END_EXPLAINED_WITHIN_S)

    def _not_filled(self, end: Signal | None) -> SandboxFailed:
        """Why the command did not begin: the shell says so itself, or the engine is to blame, whatever it says."""
        greeted = WAITING in self._fill_messages
        messages = bytes(self._fill_messages).replace(WAITING, b"").decode("utf-8", "replace")
        said = f"{messages}{self._output.text(STDERR)}".strip() or "no message"
        name = self._job.name
        if not greeted:
            message = f"the engine could not start the command of job {name!r}: {said}"
        elif not self._out_of_memory and (
            end is Event.CONTAINER_ENDED or (isinstance(end, CommandEnded) and said == "no message")
        ):
            # The shell says why it cannot fill the workspace; one that says nothing was ended by somebody's clean-up,
            # and the engine may tell of the command's end before the container's.
            message = f"the container of job {name!r} ended before its command began: {said}"
        elif end is None:
            message = f"the workspace of job {name!r} was not filled in time: {said}"
        else:
            message = f"the workspace of job {name!r} could not be filled: {said}"
            return SandboxFailed(message, hint=NOT_FILLED_HINT)
        return CommandNotStarted(message, hint=NOT_STARTED_HINT)

    def _await_end(self, reader: threading.Thread) -> Ending:
        started = time.monotonic()
        deadline = started + self._job.limits.timeout_s
        while True:
            signal = self._next(deadline)
            now = time.monotonic()
            match signal:
                case None:
                    return self._ending(now - started, exit_code=self._exit_code())
                case Event.OUT_OF_MEMORY:
                    self._out_of_memory = True
                case Event.OUTPUT_OVERFLOW:
                    return self._ending(now - started, overflow=True)
                case CommandEnded(code=code):
                    reader.join(timeout=DRAIN_TIMEOUT_S)
                    return self._ending(now - started, exit_code=code, overflow=self._output.was_cut)
                case Event.CONTAINER_ENDED:
                    return self._ending(now - started, container_ended=True)
                case Event.ENGINE_LOST:
                    raise _engine_lost()
                case Event.STARTED | Event.STREAM_ENDED:
                    pass  # the exit code follows

    def _next(self, deadline: float) -> Signal | None:
        while True:
            try:
                signal = self._signals.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return None
            if not isinstance(signal, CommandEnded) or signal.exec_id == self._ready.exec_id:
                return signal

    def _exit_code(self) -> int | None:
        """The code of a command that ended while its background processes held the output open, else None."""
        with engine_errors("say whether the command ended"):
            state = self._ready.client.exec_inspect(self._ready.exec_id)
        return None if state["Running"] else state["ExitCode"]

    def _ending(
        self,
        duration_s: float,
        *,
        exit_code: int | None = None,
        overflow: bool = False,
        container_ended: bool = False,
    ) -> Ending:
        return Ending(
            exit_code=exit_code,
            overflow=overflow,
            container_ended=container_ended,
            out_of_memory=self._out_of_memory,
            duration_s=duration_s,
            stdout=self._output.text(STDOUT),
            stderr=self._output.text(STDERR),
        )


def _engine_lost() -> EngineDied:
    return EngineDied("the engine stopped answering while the job ran", hint=START_HINT)
