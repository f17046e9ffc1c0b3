"""The sandbox on a Docker engine: one fresh, hardened container per job, gone afterwards."""

import contextlib
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Final, Self

from refute.errors import EngineDied, EngineUnavailable, InfrastructureError
from refute.sandbox.attempt import Attempt
from refute.sandbox.connection import LOST, EngineClient, EngineFacts, connect, engine_errors, read_facts
from refute.sandbox.job import Job, JobResult
from refute.sandbox.profile import environment, profile_digest
from refute.sandbox.readback import check_collect
from refute.sandbox.reaper import reap_expired, remove_container

ENGINE_RETURN_S: Final = 20.0
"""How long the one retry waits for an engine that died to answer again."""
SWEEP_EVERY_S: Final = 60.0
"""Between two sweeps for what other runs left; a sandbox that runs jobs looks again after this long."""
WORKERS: Final = 4
"""Containers being removed at once."""


class DockerSandbox:
    """Runs each job in a container of its own. Threads may share it; processes make their own.

    Args:
        connect: makes a connection to the engine; the default asks DOCKER_HOST, else the local socket.
        engine_return_s: how long the one retry waits for an engine that died.
    """

    def __init__(
        self, connect: Callable[[], EngineClient] = connect, *, engine_return_s: float = ENGINE_RETURN_S
    ) -> None:
        self._connect = connect
        self._engine_return_s = engine_return_s
        self._lock = threading.Lock()
        self._facts: EngineFacts | None = None
        self._sweep_due = 0.0
        self._background = ThreadPoolExecutor(WORKERS, thread_name_prefix="refute-sandbox")

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
                self._facts = facts
            self._sweep_when_due()
            return self._facts

    def run(self, job: Job) -> JobResult:
        """Run a job in a fresh container; if the engine dies under it, once more in another.

        Raises:
            EngineUnavailable, EngineDied, ImageMissing, SandboxFailed: infrastructure; says nothing about the code.
            ValueError: the job cannot be run as written.
        """
        environment(job)
        check_collect(job.collect)
        facts = self.facts()
        try:
            return self._attempt(job, facts)
        except EngineDied as death:
            if again := self._await_engine():
                again.close()
            try:
                return self._attempt(job, facts)
            except EngineUnavailable as error:
                raise EngineDied(
                    f"{death.message}; it did not come back within {self._engine_return_s:g} s", hint=death.hint
                ) from error

    def close(self) -> None:
        """Wait until every container is gone. The interpreter's end does the same."""
        self._background.shutdown(wait=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _attempt(self, job: Job, facts: EngineFacts) -> JobResult:
        name = f"refute-{uuid.uuid4().hex}"  # known before the container is, so it can be removed in every case
        try:
            client = self._connect()
        except EngineUnavailable:
            self._facts = None  # another engine may answer next time
            raise
        try:
            return Attempt(client, job, facts, name=name).run(self._background)
        finally:
            self._remove_later(client, name)

    def _await_engine(self) -> EngineClient | None:
        """Wait for an engine that died to answer again."""
        deadline = time.monotonic() + self._engine_return_s
        while time.monotonic() < deadline:
            with contextlib.suppress(InfrastructureError):
                return self._connect()
            time.sleep(0.3)
        return None

    def _remove_later(self, client: EngineClient, name: str) -> None:
        """Removal takes a tenth of a second that nobody needs to wait for."""
        try:
            self._background.submit(self._remove, client, name)
        except RuntimeError:  # closed, or the interpreter ends: nothing runs in the background any more
            self._remove(client, name)

    def _sweep_when_due(self) -> None:
        if time.monotonic() >= self._sweep_due:
            self._sweep_due = time.monotonic() + SWEEP_EVERY_S
            with contextlib.suppress(RuntimeError):  # closed
                self._background.submit(self._sweep)

    def _sweep(self) -> None:
        with contextlib.suppress(InfrastructureError), contextlib.closing(self._connect()) as client:
            reap_expired(client)

    def _remove(self, client: EngineClient, name: str) -> None:
        """Remove a container and its volumes. Where the engine does not come back, its expiry or the sweep does it."""
        try:
            remove_container(client, name)
        except LOST:
            again = self._await_engine()
            if again is not None:
                with contextlib.suppress(*LOST), contextlib.closing(again):
                    remove_container(again, name)
        finally:
            client.close()
