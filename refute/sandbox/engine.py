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
from refute.sandbox.attempt import Attempt
from refute.sandbox.connection import EngineClient, EngineFacts, connect, engine_errors, is_refusal, read_facts
from refute.sandbox.execution import NOT_STARTED_HINT
from refute.sandbox.job import Job, JobResult
from refute.sandbox.prefetch import Prefetch
from refute.sandbox.profile import environment, profile_digest
from refute.sandbox.readback import check_collect
from refute.sandbox.ready_container import ReadyContainer, make_ready, shape
from refute.sandbox.reaper import reap
from refute.sandbox.removal import Removal
from refute.sandbox.runtime import PLAIN, unenforced_limits

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
    """

    _tried_out: ClassVar[dict[tuple[str, str], tuple[str, ...]]] = {}
    """Engine and runtime → the limits that it does not enforce; the same for all sandboxes of a process."""

    def __init__(self, connect: Callable[[], EngineClient] = connect, *, runtime: str = "") -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._runtime = runtime
        self._facts: EngineFacts | None = None
        self._sweep_due = 0.0
        self._running: set[str] = set()
        self._stops = 0  # how often everything that ran was ended on purpose
        self._background = ThreadPoolExecutor(WORKERS, thread_name_prefix="refute-sandbox")
        self._removal = Removal(self._background, connect)
        self._prefetch = Prefetch(self._background, self._removal.now)
        weakref.finalize(self, self._prefetch.discard_later)  # also at the interpreter's end

    @property
    def profile_digest(self) -> str:
        """SHA-256 of the hardened profile, in hex."""
        return profile_digest()

    def facts(self) -> EngineFacts:
        """What the engine is; asked once, and again after it died. Now and then a call also starts a sweep.

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
        """Run a job once, in a fresh container.

        Raises:
            EngineUnavailable, EngineDied, ContainerLost, CommandNotStarted: infrastructure; running the job again may
                help.
            ImageMissing, NetworkUnavailable, SandboxFailed: infrastructure, or `stop_running`; it will not help.
            ValueError: the job cannot be run as written.
        """
        environment(job)
        check_collect(job.collect)
        stops = self._stops
        try:
            return self._attempt(job, self.facts())
        except (EngineDied, EngineUnavailable):
            self._facts = None  # another engine may answer next time
            raise
        except (ContainerLost, CommandNotStarted) as error:
            if self._stops == stops:
                raise
            raise SandboxFailed(f"job {job.name!r} was stopped: nobody needs its result any more") from error

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
        self._prefetch.prepare(shape(job), lambda: self._make_ready(job, self.facts(), waiting_s))

    def discard_prepared(self) -> None:
        """Remove prepared containers that nothing ran in: their job will not come. Returns when they are gone."""
        self._prefetch.discard()

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
        self._prefetch.discard()
        self._background.shutdown(wait=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _attempt(self, job: Job, facts: EngineFacts) -> JobResult:
        began = time.monotonic()
        ready = self._prefetch.take(shape(job)) or self._make_ready(job, facts)
        with self._lock:
            self._running.add(ready.name)
        try:
            told = replace(job, environment={**job.environment, **ready.environment})
            return Attempt(ready, told).run(self._background, began=began)
        finally:
            with self._lock:
                self._running.discard(ready.name)
            self._removal.of(ready)

    def _make_ready(self, job: Job, facts: EngineFacts, waiting_s: float = 0.0) -> ReadyContainer:
        name = f"refute-{uuid.uuid4().hex}"  # known before the container is, so it can be removed in every case
        client = self._connect()
        try:
            return make_ready(client, job, facts, name=name, waiting_s=waiting_s)
        except BaseException as error:
            self._removal.later(client, name)
            if isinstance(error, SandboxFailed) and not is_refusal(error):  # engines under load fail now and then
                raise CommandNotStarted(error.message, hint=error.hint or NOT_STARTED_HINT) from error
            raise

    def _sweep_when_due(self) -> None:
        if time.monotonic() >= self._sweep_due:
            self._sweep_due = time.monotonic() + SWEEP_EVERY_S
            with contextlib.suppress(RuntimeError):  # closed
                self._background.submit(self._sweep)

    def _sweep(self) -> None:
        self._removal.again()
        with contextlib.suppress(InfrastructureError), contextlib.closing(self._connect()) as client:
            reap(client)
