"""The sandbox on a Docker engine: one fresh, hardened container per job, gone afterwards."""

import contextlib
import threading
import time
import uuid
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import TracebackType
from typing import ClassVar, Final, Self

from refute.errors import (
    CommandNotStarted,
    ContainerLost,
    EngineDied,
    EngineUnavailable,
    InfrastructureError,
    SandboxFailed,
)
from refute.sandbox.ahead import Ahead
from refute.sandbox.attempt import Attempt
from refute.sandbox.connection import EngineClient, EngineFacts, connect, engine_errors, read_facts
from refute.sandbox.job import Job, JobResult
from refute.sandbox.profile import environment, profile_digest
from refute.sandbox.readback import check_collect
from refute.sandbox.reaper import reap
from refute.sandbox.removal import Removal
from refute.sandbox.runtime import PLAIN, unenforced_limits
from refute.sandbox.standing import Standing, shape, stand

ENGINE_RETURN_S: Final = 20.0
"""How long the one retry waits for an engine that died to answer again."""
SWEEP_EVERY_S: Final = 60.0
"""Between two sweeps for what other runs left; a sandbox that runs jobs looks again after this long."""
WAITING_S: Final = 120.0
"""How long a container that was prepared waits for its job, unless told otherwise."""
WORKERS: Final = 4
"""Containers being removed at once."""


class DockerSandbox:
    """Runs each job in a container of its own. Threads may share it; processes make their own.

    Args:
        connect: makes a connection to the engine; the default asks DOCKER_HOST, else the local socket.
        runtime: the engine's name of another one than its default, such as `runsc`.
        engine_return_s: how long the one retry waits for an engine that died.
    """

    _tried_out: ClassVar[dict[tuple[str, str], tuple[str, ...]]] = {}
    """Engine and runtime → the limits that it does not enforce; the same for all sandboxes of a process."""

    def __init__(
        self,
        connect: Callable[[], EngineClient] = connect,
        *,
        runtime: str = "",
        engine_return_s: float = ENGINE_RETURN_S,
    ) -> None:
        self._connect = connect
        self._engine_return_s = engine_return_s
        self._lock = threading.Lock()
        self._runtime = runtime
        self._facts: EngineFacts | None = None
        self._sweep_due = 0.0
        self._running: set[str] = set()
        self._stops = 0  # how often everything that ran was ended on purpose
        self._background = ThreadPoolExecutor(WORKERS, thread_name_prefix="refute-sandbox")
        self._removal = Removal(self._background, connect, engine_return_s)
        self._ahead = Ahead(self._background, self._removal.now)
        weakref.finalize(self, self._ahead.discard_later)  # also at the interpreter's end

    @property
    def profile_digest(self) -> str:
        """SHA-256 of the hardened profile, in hex."""
        return profile_digest()

    def facts(self) -> EngineFacts:
        """What the engine is; asked once. Now and then a call also starts the sweep for what other runs left.

        Raises:
            EngineUnavailable: none answers.
            SandboxFailed: it would not enforce the profile.
        """
        with self._lock:
            if self._facts is None:
                client = self._connect()
                with contextlib.closing(client), engine_errors("describe itself"):
                    facts = read_facts(client)
                facts.require_limits()
                self._facts = facts.choose(self._runtime)
            self._sweep_when_due()
            return self._facts

    def run(self, job: Job) -> JobResult:
        """Run a job in a fresh container; once more if the engine dies or cannot start it, or if somebody ends it.

        Raises:
            EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
            ValueError: the job cannot be run as written.
        """
        environment(job)
        check_collect(job.collect)
        facts = self.facts()
        stops = self._stops
        try:
            return self._attempt(job, facts)
        except (ContainerLost, CommandNotStarted):  # somebody's clean-up, or nothing of the job has run yet
            if self._stops != stops:
                raise
            return self._attempt(job, facts)
        except (EngineDied, EngineUnavailable) as death:  # unavailable: it answered earlier, and died between two jobs
            if again := self._removal.await_engine():
                again.close()
            try:
                return self._attempt(job, facts)
            except EngineUnavailable as error:
                raise type(death)(
                    f"{death.message}; it did not come back within {self._engine_return_s:g} s", hint=death.hint
                ) from error

    def unenforced(self, image_id: str) -> tuple[str, ...]:
        """The limits, of `memory` and `pids`, that the runtime does not enforce; tried out once, unless it is runc.

        Raises:
            EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: it cannot be said.
        """
        facts = self.facts()
        if facts.runtime in PLAIN:
            return ()
        tried = self._tried_out.get((facts.name, facts.runtime))
        if tried is None:
            tried = self._tried_out[facts.name, facts.runtime] = unenforced_limits(self.run, image_id)
        return tried

    def prepare(self, job: Job, *, waiting_s: float = WAITING_S) -> None:
        """Begin to make the container for a job that is likely to come; `run` takes it where it has the same shape.

        Returns at once and raises nothing: where preparing fails, `run` makes a container and tells what is wrong.

        Args:
            job: of the same run, ticket, name, image and limits as the one to come; its command and files do not count.
            waiting_s: how long the container may wait; after that it is not used, and a while later ends itself.
        """
        self._ahead.prepare(shape(job), lambda: self._stand(job, self.facts(), waiting_s))

    def discard_prepared(self) -> None:
        """Remove prepared containers that nothing ran in: their job will not come. Returns when they are gone."""
        self._ahead.discard()

    def stop_running(self) -> None:
        """End the jobs that other threads run, since nobody wants their results; their `run` raises SandboxFailed."""
        with self._lock:
            self._stops += 1
            names = list(self._running)
        for name in names:
            with contextlib.suppress(InfrastructureError):
                self._removal.later(self._connect(), name)

    def close(self) -> None:
        """Wait until every container is gone. The interpreter's end does the same."""
        self._ahead.discard()
        self._background.shutdown(wait=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _attempt(self, job: Job, facts: EngineFacts) -> JobResult:
        began = time.monotonic()
        try:
            standing = self._ahead.take(shape(job)) or self._stand(job, facts)
        except SandboxFailed:  # nothing of the job has run; an engine under load fails to start one now and then
            standing = self._stand(job, facts)
        with self._lock:
            self._running.add(standing.name)
        try:
            told = replace(job, environment={**job.environment, **standing.environment})
            return Attempt(standing, told).run(self._background, began=began)
        finally:
            with self._lock:
                self._running.discard(standing.name)
            self._removal.of(standing)

    def _stand(self, job: Job, facts: EngineFacts, waiting_s: float = 0.0) -> Standing:
        name = f"refute-{uuid.uuid4().hex}"  # known before the container is, so it can be removed in every case
        try:
            client = self._connect()
        except EngineUnavailable:
            self._facts = None  # another engine may answer next time
            raise
        try:
            return stand(client, job, facts, name=name, waiting_s=waiting_s)
        except BaseException:
            self._removal.later(client, name)
            raise

    def _sweep_when_due(self) -> None:
        if time.monotonic() >= self._sweep_due:
            self._sweep_due = time.monotonic() + SWEEP_EVERY_S
            with contextlib.suppress(RuntimeError):  # closed
                self._background.submit(self._sweep)

    def _sweep(self) -> None:
        with contextlib.suppress(InfrastructureError), contextlib.closing(self._connect()) as client:
            reap(client)
