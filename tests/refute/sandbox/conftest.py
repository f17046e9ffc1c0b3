"""The real engine and its image, for tests marked `engine`."""

from collections.abc import Callable, Iterator
from functools import partial

import docker
import pytest

from refute.sandbox.connection import EngineClient, connect
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.image import build_image
from refute.sandbox.job import Job
from tests.fakes.jobs import bash_job


@pytest.fixture(scope="session")
def image_id() -> str:
    """The image that jobs run in, built where it is missing."""
    client = docker.from_env(timeout=600)
    try:
        return build_image(client, progress=lambda _: None).id
    finally:
        client.close()


@pytest.fixture(scope="session")
def make_job(image_id: str) -> Callable[..., Job]:
    """`make_job(script, …)`: a bash job in the real image."""
    return partial(bash_job, image_id=image_id)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[DockerSandbox]:
    """One sandbox for all tests of a process."""
    with DockerSandbox() as made:
        yield made


@pytest.fixture
def engine() -> Iterator[EngineClient]:
    """A connection to look at the engine from outside."""
    client = connect()
    yield client
    client.close()
