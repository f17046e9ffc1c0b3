"""The engine and runtime under test: DOCKER_HOST and `REFUTE_RUNTIME`, else the local engine's default."""

import pytest

from refute.sandbox.engine import DockerSandbox


@pytest.fixture(scope="session")
def enforced(sandbox: DockerSandbox, image_id: str) -> frozenset[str]:
    """Which of the limits `memory` and `pids` the runtime claims to enforce: those are held to."""
    return frozenset({"memory", "pids"}) - set(sandbox.unenforced(image_id))
