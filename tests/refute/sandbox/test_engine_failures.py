"""What happens when the engine, the image or this process goes away: the right error, and nothing left behind."""

import contextlib
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from docker.errors import APIError

from refute.errors import ContainerLost, EngineDied, EngineUnavailable, SandboxFailed
from refute.owner import Owner
from refute.sandbox import attempt, removal
from refute.sandbox.connection import EngineClient, connect
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.files import Files
from refute.sandbox.job import Exited, TimedOut
from refute.sandbox.reaper import reap
from tests.fakes.engine_proxy import EngineProxy
from tests.fakes.waiting import wait_for

pytestmark = [pytest.mark.engine]

REPOSITORY = Path(__file__).resolve().parents[3]


def mine(name: str) -> str:
    """The id of a run that no other process on this engine has."""
    return f"{name}-{os.getpid()}"


def running(engine: EngineClient, run_id: str) -> list[str]:
    return [found["Id"] for found in engine.containers(all=True, filters={"label": f"refute.run={run_id}"})]


def left_over(engine: EngineClient, run_id: str) -> list[str]:
    volumes = engine.volumes(filters={"label": f"refute.run={run_id}"})["Volumes"] or []
    return running(engine, run_id) + [volume["Name"] for volume in volumes]


def unreadable(*_: object, **__: object) -> None:
    raise SandboxFailed("the engine could not")


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[EngineProxy]:
    with EngineProxy(tmp_path / "engine.sock") as made:
        yield made


def test_nothing_is_left_after_an_exception(make_job, engine, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(attempt, "read_workspace", fail)
    with DockerSandbox() as sandbox, pytest.raises(KeyboardInterrupt):
        sandbox.run(make_job("true", run_id=mine("exception")))
    assert left_over(engine, mine("exception")) == []


def test_a_timeout_whose_container_cannot_be_read_is_still_a_timeout(sandbox, make_job, monkeypatch):
    monkeypatch.setattr(attempt, "read_workspace", unreadable)
    assert sandbox.run(make_job("sleep 600", limits={"timeout_s": 0.5})).end == TimedOut(limit_s=0.5)


def test_an_ordinary_end_whose_container_cannot_be_read_is_an_error(sandbox, make_job, monkeypatch):
    monkeypatch.setattr(attempt, "read_workspace", unreadable)
    monkeypatch.setattr(attempt, "END_REPORTED_WITHIN_S", 0.1)
    with pytest.raises(SandboxFailed):
        sandbox.run(make_job("true"))


def test_a_container_that_cannot_be_paused_is_an_error(sandbox, make_job, monkeypatch):
    monkeypatch.setattr(EngineClient, "pause", unreadable)
    monkeypatch.setattr(attempt, "END_REPORTED_WITHIN_S", 0.1)
    assert sandbox.run(make_job("true")).end == Exited(code=0)  # nothing is left that would have to be paused
    with pytest.raises(SandboxFailed):
        sandbox.run(make_job("sleep 600 >&- 2>&- &"))


@contextlib.contextmanager
def once_a_command_runs(engine: EngineClient, run_id: str, do: Callable[[], None]) -> Iterator[None]:
    """In the background: do this as soon as a job of the run has begun, so that its `sleep 300` runs."""

    def begun() -> bool:
        with contextlib.suppress(APIError):  # created and not started yet
            return any("sleep 300" in str(engine.top(one)["Processes"]) for one in running(engine, run_id))
        return False

    thread = threading.Thread(target=lambda: wait_for(begun, every_s=0.05) and do())
    thread.start()
    yield
    thread.join()


def test_s150_an_engine_that_dies_is_an_error_and_the_next_run_uses_the_one_that_came_back(proxy, make_job, engine):
    with DockerSandbox(lambda: connect(proxy.url)) as sandbox:
        with once_a_command_runs(engine, mine("died"), proxy.cut), pytest.raises(EngineDied):
            sandbox.run(make_job("sleep 300", run_id=mine("died"), limits={"timeout_s": 1000}))
        with pytest.raises(EngineUnavailable):
            sandbox.run(make_job("true", run_id=mine("died")))
        proxy.restore()
        assert sandbox.run(make_job("echo done", run_id=mine("died"))).stdout == "done\n"
    assert left_over(engine, mine("died")) == []


def test_what_an_engine_kept_that_came_back_late_goes_with_the_next_sweep(proxy, make_job, engine, monkeypatch):
    monkeypatch.setattr(removal, "RETURN_S", 0.0)
    monkeypatch.setattr("refute.sandbox.engine.SWEEP_EVERY_S", 0.0)
    with DockerSandbox(lambda: connect(proxy.url)) as sandbox:
        with once_a_command_runs(engine, mine("late"), proxy.cut), pytest.raises(EngineDied):
            sandbox.run(make_job("sleep 300", run_id=mine("late"), limits={"timeout_s": 1000}))
        assert left_over(engine, mine("late"))
        proxy.restore()
        # Asked again and again: the removal may just now be finding out that the engine is gone.
        wait_for(lambda: sandbox.facts() and not left_over(engine, mine("late")))


def test_a_job_whose_container_was_removed_from_outside_says_so(make_job, engine):
    def remove() -> None:
        for container in running(engine, mine("removed")):
            engine.remove_container(container, force=True, v=True)

    with DockerSandbox() as sandbox, once_a_command_runs(engine, mine("removed"), remove), pytest.raises(ContainerLost):
        sandbox.run(make_job("sleep 300", run_id=mine("removed"), limits={"timeout_s": 1000}))
    assert left_over(engine, mine("removed")) == []


def test_a_container_that_is_ended_while_it_is_read_back_says_nothing_about_the_code(make_job, engine, monkeypatch):
    read = attempt.read_touched_canary_files

    def end_first(files: Files) -> tuple[str, ...]:
        for container in running(engine, mine("read-back")):
            engine.remove_container(container, force=True, v=True)
        return read(files)

    monkeypatch.setattr(attempt, "read_touched_canary_files", end_first)
    with DockerSandbox() as sandbox, pytest.raises(ContainerLost):
        sandbox.run(make_job("true", run_id=mine("read-back")))


HARNESS = """
    from refute.sandbox import profile
    profile.EXPIRY_MARGIN_S = {margin_s}
    from refute.owner import Owner
    Owner.here = classmethod({owner})
    from refute.sandbox.engine import DockerSandbox
    from tests.fakes.jobs import bash_job
    DockerSandbox().run(bash_job("sleep 600", image_id={image_id!r}, run_id={run_id!r}, limits={{"timeout_s": 10}}))
"""
NOBODY, ITSELF = "lambda _: 'nobody'", "lambda kind: kind.of(__import__('os').getpid())"


@contextlib.contextmanager
def harness(engine: EngineClient, image_id: str, run_id: str, owner: str, margin_s: int = 1) -> Iterator[None]:
    """Another process whose job runs; killed at the end."""
    program = HARNESS.format(image_id=image_id, run_id=run_id, owner=owner, margin_s=margin_s)
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], cwd=REPOSITORY) as started:
        # One that was created and not yet started does not end itself; the sweep's tests are about those.
        running_now = {"label": f"refute.run={run_id}", "status": "running"}
        wait_for(lambda: engine.containers(filters=running_now))
        yield
        started.kill()


def test_a_harness_that_is_killed_leaves_nothing_after_the_deadline(image_id, engine):
    with harness(engine, image_id, mine("killed"), NOBODY):  # else the sweeps of other tests remove it at once
        pass
    assert running(engine, mine("killed"))
    wait_for(lambda: not left_over(engine, mine("killed")))


def test_the_sweep_removes_at_once_what_a_killed_harness_left_and_nothing_while_it_lives(image_id, engine):
    with harness(engine, image_id, mine("orphaned"), ITSELF, margin_s=600):
        reap(engine)
        assert running(engine, mine("orphaned"))
    reap(engine)
    wait_for(lambda: not left_over(engine, mine("orphaned")))


def test_the_sweep_leaves_running_jobs_alone_though_the_client_s_clock_is_days_ahead(make_job, engine, monkeypatch):
    right = time.time
    monkeypatch.setattr(time, "time", lambda: right() + 3 * 86_400)
    monkeypatch.setattr(Owner, "here", lambda: "nobody")  # else that this process lives would be reason enough
    with DockerSandbox() as sandbox:
        outcome = []
        runner = threading.Thread(
            target=lambda: outcome.append(sandbox.run(make_job("sleep 4; echo done", run_id=mine("alive"))))
        )
        runner.start()
        wait_for(lambda: running(engine, mine("alive")))
        while runner.is_alive():
            reap(engine)
            runner.join(timeout=0.2)
    assert outcome[0].stdout == "done\n"
