"""The engine and runtime under test: DOCKER_HOST and `REFUTE_RUNTIME`, else the local engine's default."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Job
from tests.fakes.jobs import bash_job
from tests.hostile.stage import build, make_sandbox

Run = Callable[..., object]


@pytest.fixture(scope="session")
def make_job() -> Callable[..., Job]:
    """`make_job(script, …)`: a bash job in the real image."""
    return partial(bash_job, image_id=build(), run_id="conformance")


@pytest.fixture(scope="session")
def sandbox() -> Iterator[DockerSandbox]:
    """One sandbox for all tests of a process."""
    with make_sandbox() as made:
        yield made


@pytest.fixture(scope="session")
def enforced(sandbox: DockerSandbox, make_job: Callable[..., Job]) -> frozenset[str]:
    """Which of the limits `memory` and `pids` the runtime claims to enforce: those are held to."""
    return frozenset({"memory", "pids"}) - set(sandbox.unenforced(make_job("true").image_id))
