"""What the engine tells about one container while a job runs in it."""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from queue import SimpleQueue
from typing import Any

from refute.sandbox.connection import LOST, EngineClient, engine_errors


class Event(Enum):
    """What happens around a command, apart from its own end."""

    STARTED = auto()
    """The container is filled and the command begins."""
    STREAM_ENDED = auto()
    """The connection that carries the output is at its end."""
    OUTPUT_OVERFLOW = auto()
    """A stream went over its limit."""
    OUT_OF_MEMORY = auto()
    """The kernel killed something in the container for memory."""
    CONTAINER_ENDED = auto()
    """PID 1 is gone, and everything with it."""
    ENGINE_LOST = auto()
    """The engine's stream of events broke off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEnded:
    """A command exited."""

    exec_id: str
    """Whose: a person may have started another one in the container."""
    code: int


Signal = Event | CommandEnded
Signals = SimpleQueue[Signal]


@contextlib.contextmanager
def watch(client: EngineClient, container: str, signals: Signals) -> Iterator[None]:
    """Put the container's events into a queue until the block ends. Listening has begun when the block begins.

    Events are the only source that sees the memory killer strike an exec's children (`State.OOMKilled` stays false:
    https://github.com/moby/moby/issues/15621).
    """
    filters = {"container": container, "event": ["oom", "exec_die", "die"]}
    with engine_errors("report the container's events"):
        events = client.events(filters=filters, decode=True)
    closing = threading.Event()

    def listen() -> None:
        with contextlib.suppress(*LOST, OSError, ValueError, AttributeError):  # closing breaks the read
            for event in events:
                signal = _signal(event)
                if signal is not None:
                    signals.put(signal)
        if not closing.is_set():
            signals.put(Event.ENGINE_LOST)

    listener = threading.Thread(target=listen, name=f"refute-events-{container[:12]}", daemon=True)
    listener.start()
    try:
        yield
    finally:
        closing.set()
        with contextlib.suppress(OSError, AttributeError):  # the engine closed it first
            events.close()
        listener.join(timeout=5)


def _signal(event: Mapping[str, Any]) -> Signal | None:
    match event.get("Action"):
        case "oom":
            return Event.OUT_OF_MEMORY
        case "exec_die":
            attributes = event["Actor"]["Attributes"]
            return CommandEnded(exec_id=attributes["execID"], code=int(attributes["exitCode"]))
        case "die":
            return Event.CONTAINER_ENDED
        case _:
            return None
