"""The real engine, for the hostile suite. `REFUTE_RUNTIME` chooses the runtime that it is run on."""

from collections.abc import Iterator

import pytest

from refute.sandbox.engine import DockerSandbox
from tests.hostile.host import Host
from tests.hostile.stage import build, make_sandbox


@pytest.fixture(scope="session")
def image_id() -> str:
    """The image that jobs run in, built where it is missing."""
    return build()


@pytest.fixture(scope="session")
def sandbox() -> Iterator[DockerSandbox]:
    """One sandbox for all tests of a process."""
    with make_sandbox() as made:
        yield made


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """The host with its canaries laid out."""
    with Host(tmp_path_factory.mktemp("host")) as made:
        yield made
