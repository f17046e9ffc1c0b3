"""A container that stands ready: created, started, its events listened to, a shell in it that waits for the job."""

import contextlib
import json
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Final

from refute.sandbox.cgroups import limit_tcp_memory
from refute.sandbox.connection import EngineClient, EngineFacts, engine_errors
from refute.sandbox.job import Job
from refute.sandbox.network import on_network, open_egress
from refute.sandbox.profile import container_config, subject
from refute.sandbox.reaper import labels
from refute.sandbox.runtime import PLAIN
from refute.sandbox.watch import CommandEnded, Event, Signals, watch
from refute.sandbox.workspace import FILL_COMMAND, homes_part

MARGIN_S: Final = 5.0
"""A container is not used any more this long before it would leave its job less than its full time."""
FILL_TIMEOUT_S: Final = 45.0
"""For what goes into a container before its command begins."""


@dataclass(slots=True, kw_only=True)
class ReadyContainer:
    """One started container. Whoever made it removes it by its name."""

    client: EngineClient
    """The connection that its events come over; closed by whoever removes it."""
    name: str
    container: str
    """Its id."""
    pid: int = 0
    """Of its PID 1, as the engine sees it; 0 under a runtime with a kernel of its own, whose process it would be."""
    exec_id: str = ""
    """Of the shell that waits for the job, and becomes its command."""
    stream: Any = None
    """That shell's input and output, as docker-py hands it out."""
    signals: Signals
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the job's programs must be told about where they are."""
    usable_until: float
    """Monotonic time; later the container would end itself under the job."""
    _stack: ExitStack = field(default_factory=ExitStack)

    def is_usable(self) -> bool:
        """Whether a job can still begin in it."""
        while True:
            try:
                signal = self.signals.get_nowait()
            except Empty:
                return time.monotonic() < self.usable_until
            if isinstance(signal, CommandEnded) or signal in {Event.CONTAINER_ENDED, Event.ENGINE_LOST}:
                return False

    def send(self, parts: Sequence[bytes]) -> None:
        """Send to the shell. Where it ended early this ends early too: what it said is told by who reads the stream."""
        raw = self._raw()
        with contextlib.suppress(OSError):
            raw.settimeout(FILL_TIMEOUT_S)
            for part in parts:
                raw.sendall(part)
        with contextlib.suppress(OSError):
            raw.settimeout(None)

    def hang_up(self) -> None:
        """End the stream for whoever reads it."""
        with contextlib.suppress(OSError, AttributeError):
            self._raw().shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """Close the streams of output and events."""
        self._stack.close()

    def _raw(self) -> Any:
        """The socket under docker-py's file-like wrapper (unix, TCP); TLS streams are sockets already."""
        return getattr(self.stream, "_sock", self.stream)


def make_ready(
    client: EngineClient, job: Job, facts: EngineFacts, *, name: str, waiting_s: float = 0.0
) -> ReadyContainer:
    """Create and start the container of a job.

    Args:
        client: a connection of its own.
        job: image, limits, allowed hosts and whether there is an attack count; command and files do not yet.
        facts: of the engine.
        name: for the container; not taken.
        waiting_s: how long it may wait for its job.

    Raises:
        EngineDied, ImageMissing, SandboxFailed: infrastructure; a container of that name may be there or not.
    """
    began = time.monotonic()
    marks = labels(job, waiting_s=waiting_s)
    config = container_config(job, labels=marks, cpus_available=facts.cpus, waiting_s=waiting_s, runtime=facts.runtime)
    egress = None
    if job.allowed_hosts:
        egress = open_egress(client, job, name, marks, waiting_s + job.limits.timeout_s)
        config = on_network(config, egress)
    with engine_errors("create the container"):
        created: dict[str, Any] = client.create_container_from_config(config, name)  # type: ignore[no-untyped-call]
    ready = ReadyContainer(
        client=client,
        name=name,
        container=created["Id"],
        signals=SimpleQueue(),
        environment=egress.environment if egress else {},
        usable_until=began + waiting_s + MARGIN_S,
    )
    with ExitStack() as stack:
        stack.enter_context(watch(client, ready.container, ready.signals))
        with engine_errors("start the container"):
            client.start(ready.container)
        _start_shell(ready, stack, facts, user=subject(job))
        ready._stack = stack.pop_all()  # noqa: SLF001 (made here)
    return ready


def _start_shell(ready: ReadyContainer, stack: ExitStack, facts: EngineFacts, *, user: str) -> None:
    """Start the shell that takes the job, and put in what every container gets."""
    client = ready.client
    with engine_errors("start the command's shell"):
        created = client.exec_create(ready.container, list(FILL_COMMAND), stdin=True, user=user, workdir="/")
        ready.exec_id = created["Id"]
        ready.stream = client.exec_start(ready.exec_id, socket=True)
        stack.callback(ready.stream.close)
        ready.send([homes_part()])
        pid = int(client.inspect_container(ready.container)["State"]["Pid"])
    ready.pid = pid if facts.runtime in PLAIN else 0
    limit_tcp_memory(ready.pid, ready.container)


def shape(job: Job) -> str:
    """What two jobs must have in common for one to take the container that was made for the other."""
    config = container_config(job, labels={}, cpus_available=job.limits.cpus)
    network = [job.allowed_hosts, job.egress_networks]
    return json.dumps([job.run_id, job.ticket_id, job.name, network, config], sort_keys=True)
