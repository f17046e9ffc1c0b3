import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from refute.errors import SandboxFailed
from refute.sandbox.connection import connect
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import End, Exited, Job, JobResult, Limit, LimitReached, TimedOut
from refute.sandbox.profile import MASKED_PATHS, container_config
from refute.sandbox.runtime import DIRECTORIES, masked_paths, unenforced_limits
from tests.fakes import jobs as fakes
from tests.fakes.gvisor import gvisor_engine
from tests.fakes.jobs import bash_job
from tests.fakes.own_engine import OwnEngine

FACTS = replace(fakes.FACTS, runtime="runc", runtimes=("runc", "runsc"))


def ending(end: End, stdout: str = ""):
    def run(job: Job) -> JobResult:
        assert job.limits.memory_bytes < 200 * 1024**2
        return JobResult(end=end, stdout=stdout, stderr="", duration_s=0, overhead_s=0)

    return run


ALL_FELT = "seccomp enforced\npids enforced\nmemory enforced\n"
NO_MEMORY = ALL_FELT.replace("memory enforced", "memory missing")
CROWDED = LimitReached(limit=Limit.PIDS, detail="", exit_code=1)
OUT_OF_MEMORY = LimitReached(limit=Limit.MEMORY, detail="", exit_code=137)


@pytest.mark.parametrize(
    ("end", "stdout", "missing"),
    [
        (Exited(code=0), ALL_FELT, ()),
        (Exited(code=0), ALL_FELT.replace("enforced", "missing"), ("memory", "pids", "seccomp")),
        (Exited(code=0), NO_MEMORY, ("memory",)),
        (OUT_OF_MEMORY, "seccomp missing\npids missing\n", ("pids", "seccomp")),  # the limit took the trial with it
        (CROWDED, NO_MEMORY, ("memory",)),  # whatever the end, what the trial went beyond is not enforced
    ],
)
def test_a_limit_counts_as_enforced_only_where_the_trial_felt_it(end: End, stdout: str, missing: tuple[str, ...]):
    assert unenforced_limits(ending(end, stdout), "sha256:0") == missing


@pytest.mark.parametrize(
    ("end", "stdout"),
    [
        (Exited(code=1), ALL_FELT),
        (TimedOut(limit_s=60), ALL_FELT),
        (Exited(code=0), ""),
        (CROWDED, "seccomp enforced\n"),  # memory was never tried
    ],
)
def test_a_trial_that_fails_says_nothing_about_limits(end: End, stdout: str):
    with pytest.raises(SandboxFailed, match="could not be tried out"):
        unenforced_limits(ending(end, stdout), "sha256:0")


def test_gvisor_gets_no_directory_to_mask_and_runc_all():
    assert set(masked_paths(MASKED_PATHS, "runsc")) == set(MASKED_PATHS) - DIRECTORIES
    assert masked_paths(MASKED_PATHS, "runc") == list(MASKED_PATHS)


def test_the_container_names_its_runtime_and_keeps_the_rest_of_the_profile():
    plain = container_config(bash_job("true"), labels={}, cpus_available=1)["HostConfig"]
    gvisor = container_config(bash_job("true"), labels={}, cpus_available=1, runtime="runsc")["HostConfig"]
    assert gvisor["Runtime"] == "runsc"
    kept = {**plain, "Mounts": [mount for mount in plain["Mounts"] if mount["Target"] != "/dev/pts"]}
    assert {**gvisor, "MaskedPaths": 0, "Runtime": 0} == {**kept, "MaskedPaths": 0, "Runtime": 0}


def test_a_runtime_that_the_engine_does_not_have_is_refused_before_anything_runs():
    assert FACTS.choose("") is FACTS
    assert FACTS.choose("runsc") == replace(FACTS, runtime="runsc")
    with pytest.raises(SandboxFailed, match="no runtime 'kata'; it has runc, runsc"):
        FACTS.choose("kata")


@pytest.mark.engine
def test_on_the_real_engine_the_trial_finds_runc_s_limits_enforced(sandbox, image_id):
    assert unenforced_limits(sandbox.run, image_id) == ()
    assert sandbox.unenforced(image_id) == ()


@pytest.fixture(scope="module")
def gvisor(image_id, tmp_path_factory) -> Iterator[OwnEngine]:
    """An engine that has gVisor registered as Debian's package works on control groups v1."""
    with gvisor_engine(tmp_path_factory.mktemp("engine"), image_id) as (engine, _):
        yield engine


@pytest.mark.gvisor
def test_under_gvisor_a_job_runs_on_another_kernel_and_unenforced_limits_are_found(gvisor, image_id):
    with DockerSandbox(partial(connect, gvisor.host), runtime="runsc") as sandbox:
        result = sandbox.run(bash_job("uname -r; echo x > new; rm a.py; exit 3", image_id=image_id))
        assert result.end == Exited(code=3)
        assert result.stdout != f"{os.uname().release}\n"
        assert result.changed_paths == ("a.py", "new")
        assert sandbox.unenforced(image_id) == ("memory", "pids", "seccomp")


@pytest.mark.gvisor
def test_under_gvisor_the_clock_ends_a_job_all_the_same(gvisor, image_id):
    with DockerSandbox(partial(connect, gvisor.host), runtime="runsc") as sandbox:
        result = sandbox.run(bash_job("sleep 300", image_id=image_id, limits={"timeout_s": 3}))
    assert result.end == TimedOut(limit_s=3)
