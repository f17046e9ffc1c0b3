"""Running the command in a started container: fill, start, collect output, until one of the ends comes first."""

import contextlib
import socket
import threading
import time
from dataclasses import dataclass
from queue import Empty
from typing import Any, Final

from docker.utils.socket import frames_iter

from refute.errors import EngineDied, SandboxFailed
from refute.sandbox.connection import LOST, START_HINT, EngineClient, engine_errors
from refute.sandbox.job import Job
from refute.sandbox.output import STDERR, STDOUT, CappedOutput
from refute.sandbox.profile import SUBJECT
from refute.sandbox.watch import (
    CommandEnded,
    ContainerEnded,
    EngineLost,
    OutOfMemory,
    OutputOverflow,
    Signal,
    Signals,
    Started,
    StreamEnded,
)
from refute.sandbox.workspace import FILLED, fill_command, fill_parts

FILL_TIMEOUT_S: Final = 45.0
DRAIN_TIMEOUT_S: Final = 5.0
"""After the command's end: its output is still on the way, or background processes hold the pipe open."""
MAX_FILL_MESSAGES: Final = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a command's run ended, before anybody asks why."""

    exit_code: int | None = None
    """None where it had to be ended."""
    timed_out: bool = False
    overflow: bool = False
    container_ended: bool = False
    out_of_memory: bool = False
    duration_s: float
    stdout: str
    stderr: str


class Execution:
    """One run of one job's command."""

    def __init__(self, client: EngineClient, container: str, job: Job, signals: Signals) -> None:
        self._client = client
        self._container = container
        self._job = job
        self._signals = signals
        self._output = CappedOutput(limit_bytes=job.limits.output_bytes)
        self._fill_messages = bytearray()
        self._filled = False
        self._exec_id = ""
        self._out_of_memory = False

    def run(self) -> Ending:
        """Fill the container, run the command, wait for an end.

        Raises:
            EngineDied: the engine went away.
            SandboxFailed: the container could not be filled.
        """
        parts = fill_parts(self._job)
        with engine_errors("start the command"):
            created = self._client.exec_create(
                self._container, fill_command(self._job, parts), stdin=True, user=SUBJECT, workdir="/"
            )
            self._exec_id = created["Id"]
            stream: Any = self._client.exec_start(self._exec_id, socket=True)
        reader = threading.Thread(target=self._read, args=(stream,), name="refute-output", daemon=True)
        reader.start()
        try:
            self._send(stream, list(parts.values()))
            self._await_fill(reader)
            return self._await_end(reader)
        finally:
            with contextlib.suppress(OSError):
                _raw(stream).shutdown(socket.SHUT_RDWR)
            reader.join(timeout=DRAIN_TIMEOUT_S)
            stream.close()

    def _send(self, stream: Any, parts: list[bytes]) -> None:
        raw = _raw(stream)
        raw.settimeout(FILL_TIMEOUT_S)
        try:
            for part in parts:
                raw.sendall(part)
        except OSError:
            return  # the fill ended early; what it said is told by _await_fill
        finally:
            with contextlib.suppress(OSError):
                raw.settimeout(None)

    def _read(self, stream: Any) -> None:
        with contextlib.suppress(*LOST, OSError, ValueError):  # closing breaks the read
            for number, data in frames_iter(stream, tty=False):  # type: ignore[no-untyped-call]
                if not self._feed(number, data):
                    self._signals.put(OutputOverflow())
                    return
        self._signals.put(StreamEnded())

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
        self._signals.put(Started())
        return self._output.feed(STDOUT, bytes(after)) and not self._output.was_cut

    def _await_fill(self, reader: threading.Thread) -> None:
        deadline = time.monotonic() + FILL_TIMEOUT_S
        while True:
            match self._next(deadline):
                case Started():
                    return
                case EngineLost():
                    raise _engine_lost()
                case OutOfMemory():
                    self._out_of_memory = True
                case CommandEnded() | ContainerEnded() as ended:
                    reader.join(timeout=DRAIN_TIMEOUT_S)  # a quick command's end overtakes its output
                    self._require_filled()
                    self._signals.put(ended)
                    return
                case None | OutputOverflow():
                    self._require_filled()
                case StreamEnded():
                    pass  # the exit code follows

    def _require_filled(self) -> None:
        if not self._filled:
            said = f"{self._fill_messages.decode('utf-8', 'replace')}{self._output.text(STDERR)}".strip()
            raise SandboxFailed(
                f"the workspace of job {self._job.name!r} could not be filled: {said or 'no message'}",
                hint="Is the snapshot larger than the workspace's limit?",
            )

    def _await_end(self, reader: threading.Thread) -> Ending:
        started = time.monotonic()
        deadline = started + self._job.limits.timeout_s
        while True:
            signal = self._next(deadline)
            now = time.monotonic()
            match signal:
                case None:
                    code = self._exit_code()
                    return self._ending(now - started, exit_code=code, timed_out=code is None)
                case OutOfMemory():
                    self._out_of_memory = True
                case OutputOverflow():
                    return self._ending(now - started, overflow=True)
                case CommandEnded(code=code):
                    reader.join(timeout=DRAIN_TIMEOUT_S)
                    return self._ending(now - started, exit_code=code, overflow=self._output.was_cut)
                case ContainerEnded():
                    return self._ending(now - started, container_ended=True)
                case EngineLost():
                    raise _engine_lost()
                case Started() | StreamEnded():
                    pass  # the exit code follows

    def _next(self, deadline: float) -> Signal | None:
        while True:
            try:
                signal = self._signals.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return None
            if not isinstance(signal, CommandEnded) or signal.exec_id == self._exec_id:
                return signal

    def _exit_code(self) -> int | None:
        """The code of a command that ended while its background processes held the output open, else None."""
        with engine_errors("say whether the command ended"):
            state = self._client.exec_inspect(self._exec_id)
        return None if state["Running"] else state["ExitCode"]

    def _ending(
        self,
        duration_s: float,
        *,
        exit_code: int | None = None,
        timed_out: bool = False,
        overflow: bool = False,
        container_ended: bool = False,
    ) -> Ending:
        return Ending(
            exit_code=exit_code,
            timed_out=timed_out,
            overflow=overflow,
            container_ended=container_ended,
            out_of_memory=self._out_of_memory,
            duration_s=duration_s,
            stdout=self._output.text(STDOUT),
            stderr=self._output.text(STDERR),
        )


def _raw(stream: Any) -> Any:
    """The socket under docker-py's file-like wrapper (unix, TCP); TLS streams are sockets already."""
    return getattr(stream, "_sock", stream)


def _engine_lost() -> EngineDied:
    return EngineDied("the engine stopped answering while the job ran", hint=START_HINT)
