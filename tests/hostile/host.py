"""The host's side of the hostile suite: things that a program in a container must neither reach nor change."""

import contextlib
import os
import socket
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from refute.sandbox.connection import EngineClient, connect
from tests.fakes.waiting import wait_for

CANARY = "a canary of the host\n"
KERNEL_FILES = (
    "kernel/random/boot_id",
    "kernel/hostname",
    "kernel/core_pattern",
    "kernel/modprobe",
    "kernel/sysrq",
    "kernel/randomize_va_space",
    "vm/overcommit_memory",
    "net/ipv4/ip_forward",
)
CLOCK_TOLERANCE_S = 5.0
GONE_WITHIN_S = 300.0
"""Removal goes on in the background while the result is there; on a busy machine it takes its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelState:
    """What of the kernel's state a program could have changed."""

    files: Mapping[str, str]
    clock_offset_s: float


class Host:
    """Lays out canaries and looks at them, at the kernel and at what is left on the engine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = f"refute-canary-{uuid.uuid4().hex}"
        self._canary = folder / self._name
        self._listeners: list[socket.socket] = []
        self._client: EngineClient | None = None

    def __enter__(self) -> Self:
        self._canary.write_text(CANARY)
        os.environ["REFUTE_CANARY"] = "in-the-environment"
        loopback = socket.create_server(("127.0.0.1", 0))
        abstract = socket.socket(socket.AF_UNIX)
        abstract.bind(f"\0{self._name}")
        abstract.listen()
        self._listeners = [loopback, abstract]
        for listener in self._listeners:
            listener.setblocking(False)
        self._client = connect()
        self._before = kernel_state()
        return self

    def __exit__(self, *_: object) -> None:
        for listener in self._listeners:
            listener.close()
        if self._client is not None:
            self._client.close()
        os.environ.pop("REFUTE_CANARY", None)
        self._canary.unlink(missing_ok=True)

    def environment(self) -> dict[str, str]:
        """What a hostile program is told about its targets."""
        return {
            "HOST_CANARY": str(self._canary),
            "HOST_PORT": str(self._listeners[0].getsockname()[1]),
            "HOST_ABSTRACT": self._name,
        }

    def touched(self) -> list[str]:
        """What a job did to this machine itself; empty where nothing."""
        return [*self._canary_faults(), *self._kernel_faults()]

    def left_behind(self, run_ids: Sequence[str], *, began: float) -> list[str]:
        """What jobs left on the engine and of processes; empty where nothing. Waits until what is going is gone.

        Args:
            run_ids: of the jobs.
            began: Unix time before the first started.
        """
        made = {container for run_id in run_ids for container in self._containers_made(run_id, began)}

        def left() -> list[str]:
            found = [f"left on the engine: {over}" for run_id in run_ids if (over := self.left_over(run_id))]
            return found + [f"process left: {process}" for process in processes_of(made)]

        with contextlib.suppress(AssertionError):  # what is left is told below
            wait_for(lambda: not left(), within_s=GONE_WITHIN_S, every_s=0.05)
        return left()

    def left_over(self, run_id: str) -> list[str]:
        """Containers and volumes of a run."""
        filters = {"label": f"refute.run={run_id}"}
        containers = [str(found["Id"]) for found in self._client.containers(all=True, filters=filters)]
        volumes = self._client.volumes(filters=filters)["Volumes"] or []
        return containers + [str(volume["Name"]) for volume in volumes]

    def _containers_made(self, run_id: str, began: float) -> set[str]:
        filters = {"label": f"refute.run={run_id}", "type": "container"}
        # Between two moments of the past: the engine gives them and ends. As text, because it takes fractions.
        moments = {"since": f"{began:.6f}", "until": f"{time.time():.6f}"}
        events = self._client.events(**moments, filters=filters, decode=True)  # type: ignore[arg-type]
        return {event["id"] for event in events if event.get("Action") == "create"}

    def _canary_faults(self) -> list[str]:
        found = []
        if not self._canary.exists() or self._canary.read_text() != CANARY:
            found.append("the canary file was touched")
        for listener in self._listeners:
            with contextlib.suppress(BlockingIOError):
                listener.accept()
                found.append("somebody connected to the host")
        return found

    def _kernel_faults(self) -> list[str]:
        now = kernel_state()
        found = [f"{name} changed" for name, text in self._before.files.items() if now.files[name] != text]
        if abs(now.clock_offset_s - self._before.clock_offset_s) > CLOCK_TOLERANCE_S:
            found.append("the clock was set")
        return found


def kernel_state() -> KernelState:
    """The kernel's state now."""
    files = {}
    for name in KERNEL_FILES:
        with contextlib.suppress(OSError):
            files[name] = (Path("/proc/sys") / name).read_text()
    return KernelState(files=files, clock_offset_s=time.time() - time.monotonic())


def processes_of(containers: set[str]) -> list[str]:
    """Processes of this machine whose control groups, or whose command lines (gVisor's), name one of the containers."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            told = (process / "cgroup").read_text() + (process / "cmdline").read_text(errors="replace")
            if any(container in told for container in containers):
                found.append(process.name)
    return found
