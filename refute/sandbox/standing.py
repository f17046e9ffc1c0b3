"""A container that stands ready: created, started, its events listened to, nothing of a job in it yet."""

import json
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Final

from refute.sandbox.connection import EngineClient, EngineFacts, engine_errors
from refute.sandbox.job import Job
from refute.sandbox.network import on_network, open_egress
from refute.sandbox.profile import container_config
from refute.sandbox.reaper import labels
from refute.sandbox.tcp_memory import limit_tcp_memory
from refute.sandbox.watch import ContainerEnded, EngineLost, Signals, watch

MARGIN_S: Final = 5.0
"""A container is not used any more this long before it would leave its job less than its full time."""


@dataclass(slots=True, kw_only=True)
class Standing:
    """One started container. Whoever made it removes it by its name."""

    client: EngineClient
    """The connection that its events come over; closed by whoever removes it."""
    name: str
    container: str
    """Its id."""
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
            if isinstance(signal, ContainerEnded | EngineLost):
                return False

    def stop_listening(self) -> None:
        """End the stream of events."""
        self._stack.close()


def stand(client: EngineClient, job: Job, facts: EngineFacts, *, name: str, waiting_s: float = 0.0) -> Standing:
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
    marks = labels(job, now=time.time() + waiting_s)
    config = container_config(job, labels=marks, cpus_available=facts.cpus, waiting_s=waiting_s, runtime=facts.runtime)
    egress = None
    if job.allowed_hosts:
        egress = open_egress(client, job, name, marks, waiting_s + job.limits.timeout_s)
        config = on_network(config, egress)
    with engine_errors("create the container"):
        created: dict[str, Any] = client.create_container_from_config(config, name)  # type: ignore[no-untyped-call]
    signals: Signals = SimpleQueue()
    usable_until = began + waiting_s + MARGIN_S
    with ExitStack() as stack:
        stack.enter_context(watch(client, created["Id"], signals))
        with engine_errors("start the container"):
            client.start(created["Id"])
        limit_tcp_memory(created["Id"])
        return Standing(
            client=client,
            name=name,
            container=created["Id"],
            signals=signals,
            environment=egress.environment if egress else {},
            usable_until=usable_until,
            _stack=stack.pop_all(),
        )


def shape(job: Job) -> str:
    """What two jobs must have in common for one to take the container that was made for the other."""
    config = container_config(job, labels={}, cpus_available=job.limits.cpus)
    network = [job.allowed_hosts, job.egress_networks]
    return json.dumps([job.run_id, job.ticket_id, job.name, network, config], sort_keys=True)
