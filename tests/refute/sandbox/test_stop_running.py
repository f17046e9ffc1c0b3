"""A person who will not wait ends jobs that run in other threads: nothing of them is left, and none is run again."""

import threading
import time

import docker
import pytest

from refute.errors import SandboxFailed
from refute.sandbox.engine import DockerSandbox
from tests.fakes.jobs import bash_job
from tests.hostile.stage import build

pytestmark = pytest.mark.engine


def test_jobs_of_other_threads_end_at_once_as_infrastructure() -> None:
    faults: list[SandboxFailed] = []
    job = bash_job("sleep 300", image_id=build(), run_id="stop-running", limits={"timeout_s": 300})
    mark = f"refute.run={job.run_id}"
    with DockerSandbox() as sandbox:

        def run() -> None:
            try:
                sandbox.run(job)
            except SandboxFailed as error:
                faults.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        deadline = time.monotonic() + 300
        while not sandbox._running and time.monotonic() < deadline:
            thread.join(timeout=0.1)
        sandbox.stop_running()
        thread.join(timeout=300)
        assert not thread.is_alive()
    assert [type(fault) for fault in faults] == [SandboxFailed]  # not one of those after which a task tries again
    client = docker.from_env()
    assert client.containers.list(all=True, ignore_removed=True, filters={"label": mark}) == []
    client.close()
