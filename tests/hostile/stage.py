"""The engine, runtime and image that hostile and conformance suites run on."""

import contextlib
import os
import time
from pathlib import Path
from typing import Any, Final

import docker

from refute.errors import InfrastructureError
from refute.sandbox.connection import connect, engine_errors
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.image import build_image
from tests.fakes.fence import Fence, kill

RUNTIME: Final = "REFUTE_RUNTIME"
"""The variable that names a runtime: `runsc`; the engine's default where it is not set."""

GROUPS: Final = "REFUTE_FENCE"
"""The variable that names the control groups of an engine that was started for the suite."""
BACK_WITHIN_S: Final = 120.0


def runtime() -> str:
    """The runtime under test, empty for the engine's default."""
    return os.environ.get(RUNTIME, "")


def make_sandbox() -> DockerSandbox:
    """A sandbox on the runtime under test."""
    options: dict[str, Any] = {"runtime": runtime()} if runtime() else {}
    return DockerSandbox(**options)


def build() -> str:
    """The image that jobs run in, built where it is missing: its id."""
    client = docker.from_env(timeout=600)
    try:
        return build_image(client, progress=lambda _: None).id
    finally:
        client.close()


def bring_back() -> None:
    """After an engine stopped answering: end gVisor's processes in its fence, and wait until it lists its containers.

    A fork bomb may be more than `runsc pause` can stop, and the engine waits for that as long as it takes.

    Raises:
        InfrastructureError: it does not come back.
    """
    fence = Fence(tuple(map(Path, filter(None, os.environ.get(GROUPS, "").split(os.pathsep)))))
    deadline = time.monotonic() + BACK_WITHIN_S
    while True:
        kill({pid for pid in fence.processes() if _is_gvisor(pid)})
        try:
            with contextlib.closing(connect()) as client, engine_errors("list its containers"):
                client.containers(all=True)
        except InfrastructureError:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)
        else:
            return


def _is_gvisor(pid: int) -> bool:
    """Whether a process is one of gVisor's: a command, a sandbox or its file server; never the engine or its shim."""
    try:
        return b"runsc" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return False
