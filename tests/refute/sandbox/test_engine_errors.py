"""A job runs once; what its error is, and whether running it again may help, is for the caller to read."""

import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

import pytest
from docker.errors import APIError
from requests import Response

from refute.errors import (
    CommandNotStarted,
    ContainerLost,
    EngineDied,
    EngineUnavailable,
    ImageMissing,
    NetworkUnavailable,
    SandboxFailed,
)
from refute.sandbox import engine
from refute.sandbox.connection import EngineFacts, engine_errors
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited, JobResult
from refute.sandbox.ready_container import ReadyContainer
from tests.fakes.jobs import FACTS, bash_job

DONE = JobResult(end=Exited(code=0), stdout="", stderr="", duration_s=0.0, overhead_s=0.0)
AGAIN = [EngineUnavailable, EngineDied, ContainerLost, CommandNotStarted]


class Client:
    """A connection that is only closed."""

    def close(self) -> None:
        pass


def ready(client: Any, *_: Any, name: str, **__: Any) -> ReadyContainer:
    return ReadyContainer(
        client=client, name=name, container=name, signals=SimpleQueue(), usable_until=time.monotonic() + 60
    )


def failing(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    return fail


def answered(status: int) -> SandboxFailed:
    """What becomes of an engine's answer to the request for a container."""
    response = Response()
    response.status_code = status
    try:
        with engine_errors("create the container"):
            raise APIError("no", response=response)
    except SandboxFailed as error:
        return error


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[DockerSandbox]:
    monkeypatch.setattr("refute.sandbox.removal._remove_all", lambda *_: None)
    monkeypatch.setattr(DockerSandbox, "_sweep", lambda _: None)
    monkeypatch.setattr(engine, "make_ready", ready)
    monkeypatch.setattr(engine.Attempt, "run", lambda *_, **__: DONE)
    monkeypatch.setattr(engine, "read_facts", lambda _: FACTS)
    with DockerSandbox(lambda: Client()) as made:  # type: ignore[arg-type,return-value]  # noqa: PLW0108
        yield made


@pytest.mark.parametrize("error", [*AGAIN, SandboxFailed])
def test_a_job_runs_once_and_its_failure_is_told_as_it_is(sandbox, monkeypatch, error):
    runs: list[None] = []

    def run(*_: Any, **__: Any) -> JobResult:
        runs.append(None)
        raise error("it failed")

    monkeypatch.setattr(engine.Attempt, "run", run)
    with pytest.raises(error) as caught:
        sandbox.run(bash_job("true"))
    assert (type(caught.value), len(runs)) == (error, 1)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (answered(500), CommandNotStarted),  # OCI runtime create failed
        (answered(404), CommandNotStarted),  # somebody removed it before it was started
        (SandboxFailed("the egress proxy did not start"), CommandNotStarted),
        (answered(400), SandboxFailed),  # unknown runtime
        (answered(403), SandboxFailed),  # an authorization plugin
        (ImageMissing("no image"), ImageMissing),
        (NetworkUnavailable("no bridge"), NetworkUnavailable),
        (EngineDied("gone"), EngineDied),
    ],
)
def test_a_container_that_the_engine_could_not_make_may_be_asked_for_again_unless_it_refuses(
    sandbox: DockerSandbox, monkeypatch: pytest.MonkeyPatch, error: Exception, expected: type[Exception]
) -> None:
    monkeypatch.setattr(engine, "make_ready", failing(error))
    with pytest.raises(expected) as caught:
        sandbox.run(bash_job("true"))
    assert type(caught.value) is expected


def test_where_preparing_failed_the_job_gets_a_container_of_its_own(sandbox, monkeypatch):
    made = [ready, failing(SandboxFailed("the engine could not start the container"))]

    def make_ready(client: Any, *_: Any, name: str, **__: Any) -> ReadyContainer:
        return made.pop()(client, name=name)

    monkeypatch.setattr(engine, "make_ready", make_ready)
    sandbox.prepare(bash_job("true"))
    assert sandbox.run(bash_job("true")) == DONE
    assert made == []


@pytest.mark.parametrize("end", [ContainerLost("ended from outside"), CommandNotStarted("ended in its fill")])
def test_what_was_ended_on_purpose_is_none_of_the_failures_that_are_tried_again(sandbox, monkeypatch, end):
    def run(*_: Any, **__: Any) -> JobResult:
        sandbox.stop_running()
        raise end

    monkeypatch.setattr(engine.Attempt, "run", run)
    with pytest.raises(SandboxFailed) as caught:
        sandbox.run(bash_job("true"))
    assert type(caught.value) is SandboxFailed


@pytest.mark.parametrize(("error", "asked"), [(EngineDied, 2), (EngineUnavailable, 2), (ContainerLost, 1)])
def test_the_engine_is_asked_again_what_it_is_after_it_died(sandbox, monkeypatch, error, asked):
    answers: list[EngineFacts] = []
    monkeypatch.setattr(engine, "read_facts", lambda _: answers.append(FACTS) or FACTS)
    with monkeypatch.context() as patch:
        patch.setattr(engine.Attempt, "run", failing(error("gone")))
        with pytest.raises(error):
            sandbox.run(bash_job("true"))
    assert sandbox.run(bash_job("true")) == DONE
    assert len(answers) == asked
