"""Containers prepared ahead, on the real engine."""

import subprocess
import sys
import time
import uuid
from dataclasses import replace

import pytest

from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited, Job
from refute.sandbox.reaper import LIFETIME_S, remove_container

pytestmark = pytest.mark.engine

PREPARE_AND_HANG = """
import sys, time
from refute.owner import Owner
from refute.sandbox.engine import DockerSandbox
from tests.fakes.jobs import bash_job
Owner.here = classmethod(lambda _: "nobody")  # else the sweeps of other tests remove at once what a killed one leaves
sandbox = DockerSandbox()
sandbox.prepare(bash_job("true", image_id=sys.argv[1], run_id=sys.argv[2]))
if sys.argv[3] == "end":
    sys.exit(0)
while True:
    time.sleep(1)
"""


@pytest.fixture
def job(make_job) -> Job:
    return replace(make_job("echo ran"), run_id=f"ahead-{uuid.uuid4().hex}")


def of_run(engine, job: Job, *, wanted: int, **filters: str) -> list[dict[str, object]]:
    """The containers of a run, as soon as there are so many, or as they are after four minutes."""
    deadline = time.monotonic() + 240
    while True:
        found = engine.containers(all=True, filters={"label": f"refute.run={job.run_id}", **filters})
        if len(found) == wanted or time.monotonic() > deadline:
            return found
        time.sleep(0.05)


def test_a_job_runs_in_the_container_that_was_prepared_for_it(engine, job):
    with DockerSandbox() as sandbox:
        sandbox.prepare(replace(job, command=(), workspace=b""))
        (prepared,) = of_run(engine, job, wanted=1)
        result = sandbox.run(replace(job, command=("sh", "-c", "cat /etc/hostname; echo ran; sleep 0.3")))
        assert result.end == Exited(code=0)
        assert result.stdout.endswith("ran\n")
        assert {one["Id"] for one in of_run(engine, job, wanted=0)} <= {prepared["Id"]}


def test_the_next_job_of_the_same_shape_gets_a_fresh_container(engine, job):
    with DockerSandbox() as sandbox:
        sandbox.prepare(job)
        assert sandbox.run(replace(job, command=("sh", "-c", "touch /tmp/left"))).end == Exited(code=0)
        assert sandbox.run(replace(job, command=("sh", "-c", "! test -e /tmp/left"))).end == Exited(code=0)


def test_one_that_was_removed_from_outside_is_replaced(engine, job):
    with DockerSandbox() as sandbox:
        sandbox.prepare(job)
        (prepared,) = of_run(engine, job, wanted=1)
        sandbox._background.submit(lambda: None).result()
        remove_container(engine, prepared["Id"])  # one that failed to prepare is gone already: replaced as well
        assert sandbox.run(job).end == Exited(code=0)


def test_what_is_not_used_is_removed_at_once_when_told_and_at_the_end(engine, job):
    with DockerSandbox() as sandbox:
        sandbox.prepare(job)
        assert len(of_run(engine, job, wanted=1)) == 1
        sandbox.discard_prepared()
        assert engine.containers(all=True, filters={"label": f"refute.run={job.run_id}"}) == []
        sandbox.prepare(job)
        assert len(of_run(engine, job, wanted=1)) == 1
    assert of_run(engine, job, wanted=0) == []


def test_a_program_that_ends_leaves_none_behind(engine, job):
    command = [sys.executable, "-c", PREPARE_AND_HANG, job.image_id, job.run_id, "end"]
    subprocess.run(command, check=True, timeout=600)
    assert of_run(engine, job, wanted=0) == []


def test_one_whose_program_was_killed_ends_itself_and_says_when(engine, job):
    command = [sys.executable, "-c", PREPARE_AND_HANG, job.image_id, job.run_id, "hang"]
    with subprocess.Popen(command) as program:
        (left,) = of_run(engine, job, wanted=1, status="running")  # started for a client that is gone, it may vanish
        program.kill()
    facts = engine.inspect_container(left["Id"])
    try:
        assert facts["HostConfig"]["AutoRemove"] is True
        sleeps_s = int(facts["Config"]["Cmd"][-1])
        assert sleeps_s <= job.limits.timeout_s + 60 + 120
        assert int(facts["Config"]["Labels"][LIFETIME_S]) == sleeps_s + 60
    finally:
        engine.remove_container(left["Id"], force=True)
