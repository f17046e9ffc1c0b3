"""The engine, runtime and image that hostile and conformance suites run on."""

import os
from typing import Any, Final

import docker

from refute.sandbox.engine import DockerSandbox
from refute.sandbox.image import build_image

RUNTIME: Final = "REFUTE_RUNTIME"
"""The variable that names a runtime: `runsc`; the engine's default where it is not set."""


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
