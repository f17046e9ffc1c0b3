"""Each limit on the real engine, and that it is named when it ends a job."""

import time
from collections.abc import Callable

import pytest

from refute.errors import SandboxFailed
from refute.sandbox import attempt
from refute.sandbox.cgroups import Counters
from refute.sandbox.connection import EngineClient
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import MEBIBYTE, Exited, Job, JobResult, Limit, LimitReached

pytestmark = [pytest.mark.engine]

MakeJob = Callable[..., Job]
OVERTIME_S = 2
"""What the specification allows a job beyond its time limit."""
BOMB = "bomb() { bomb | bomb & }; bomb"
IN_TIME_S = 60
"""Where something would go on for 600 s; on a busy machine a second can take many."""


def limit_of(result: JobResult) -> Limit:
    assert isinstance(result.end, LimitReached), result
    return result.end.limit


def test_s050_a_job_is_over_and_gone_within_two_seconds_of_its_limit(make_job, engine):
    # By the engine's own clock; the best of three, as on a busy machine any one of them may wait for its turn.
    assert min(_overtime_s(make_job, engine, f"s050-{turn}") for turn in range(3)) <= OVERTIME_S


def _overtime_s(make_job: MakeJob, engine: EngineClient, run_id: str) -> float:
    """Seconds beyond its limit from the start of a command that never ends to its container's removal."""
    limit_s, began = 2, time.time()
    with DockerSandbox() as sandbox:
        sandbox.run(make_job("setsid sleep 600 & sleep 600", limits={"timeout_s": limit_s}, run_id=run_id))
    found = engine.events(since=began, until=time.time() + 1, filters={"label": f"refute.run={run_id}"}, decode=True)
    at = {event["Action"].split(":")[0]: event["timeNano"] / 1e9 for event in found}
    assert at["destroy"] - at["exec_start"] >= limit_s
    return float(at["destroy"] - at["exec_start"] - limit_s)


def test_memory_that_runs_out_under_pid_1_is_named(sandbox, make_job):
    script = "(setsid sh -c 'sleep 0.3; cat /dev/zero > ~/c' & ); cat /dev/zero > a; cat /dev/zero > /tmp/b; sleep 9"
    job = make_job(script, limits={"memory_bytes": 32 * MEBIBYTE, "timeout_s": 10})
    assert limit_of(sandbox.run(job)) == Limit.MEMORY


def test_a_bomb_that_is_too_busy_to_be_frozen_is_still_named(sandbox, make_job, monkeypatch):
    def unable(*_: object) -> None:
        raise SandboxFailed("unable to freeze")

    monkeypatch.setattr(EngineClient, "pause", unable)
    monkeypatch.setattr(attempt, "END_REPORTED_WITHIN_S", 0.1)
    assert limit_of(sandbox.run(make_job(BOMB, limits={"timeout_s": 10}))) == Limit.PIDS


def test_an_engine_on_another_machine_still_names_a_fork_bomb(sandbox, make_job, monkeypatch):
    monkeypatch.setattr(attempt, "read_counters", lambda *_: Counters())
    job = make_job(f"{BOMB}; sleep 1; python3 -c 'import os; os.fork()'", limits={"timeout_s": 10})
    assert limit_of(sandbox.run(job)) == Limit.PIDS


@pytest.mark.parametrize(
    ("script", "limits", "detail"),
    [
        ("cat /dev/zero > fill", {"workspace_bytes": 8 * MEBIBYTE}, "all space of /workspace"),
        ("cat /dev/zero > /tmp/fill", {"tmp_bytes": 8 * MEBIBYTE}, "all space of /tmp"),
        ("dd if=/dev/zero of=big bs=1M", {"file_bytes": 8 * MEBIBYTE}, "8 MiB in one file"),
        ("for i in $(seq 900); do : > f$i || exit 1; done", {"workspace_inodes": 300}, "all inodes of /workspace"),
    ],
)
def test_s140_a_full_disk_is_named(sandbox, make_job, script, limits, detail):
    end = sandbox.run(make_job(script, limits=limits)).end
    assert (end.limit, end.detail) == (Limit.DISK, detail)


def test_a_background_process_that_keeps_the_output_open_does_not_keep_the_job(sandbox, make_job):
    result = sandbox.run(make_job("sleep 600 & echo done"))
    assert result.end == Exited(code=0)
    assert result.stdout == "done\n"
    assert result.duration_s < IN_TIME_S
