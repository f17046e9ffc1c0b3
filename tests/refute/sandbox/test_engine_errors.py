"""What is tried once more, and what is not: an engine that fails now and then, a container that somebody removed."""

import time
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

import pytest

from refute.errors import (
    CommandNotStarted,
    ContainerLost,
    EngineDied,
    EngineUnavailable,
    ImageMissing,
    SandboxFailed,
)
from refute.sandbox import engine
from refute.sandbox.connection import EngineFacts
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.job import Exited, JobResult
from refute.sandbox.standing import Standing
from tests.fakes.jobs import bash_job

FACTS = EngineFacts(name="docker", runtime="runc", cpus=2, memory_limit=True, pids_limit=True, seccomp=True)
DONE = JobResult(end=Exited(code=0), stdout="", stderr="", duration_s=0.0, overhead_s=0.0)


class Fates:
    """What becomes of the containers and the attempts, one after another; None is success."""

    def __init__(self, containers: list[Exception | None], attempts: list[Exception | None]) -> None:
        self.containers, self.attempts = containers, attempts
        self.removed: list[str] = []

    def stand(self, client: Any, *_: Any, name: str, **__: Any) -> Standing:
        if fate := self.containers.pop(0):
            raise fate
        return Standing(
            client=client, name=name, container=name, signals=SimpleQueue(), usable_until=time.monotonic() + 60
        )

    def run(self, *_: Any, **__: Any) -> JobResult:
        if fate := self.attempts.pop(0):
            raise fate
        return DONE


class Client:
    """A connection that is only closed."""

    def close(self) -> None:
        pass


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[DockerSandbox]:
    monkeypatch.setattr("refute.sandbox.removal._remove_all", lambda *_: None)
    monkeypatch.setattr(DockerSandbox, "_sweep", lambda _: None)
    made = DockerSandbox(lambda: Client(), engine_return_s=0.01)  # type: ignore[arg-type,return-value]  # noqa: PLW0108
    made._facts = FACTS
    with made:
        yield made


def let(monkeypatch: pytest.MonkeyPatch, containers: list[Exception | None], attempts: list[Exception | None]) -> Fates:
    fates = Fates(containers, attempts)
    monkeypatch.setattr(engine, "stand", fates.stand)
    monkeypatch.setattr(engine.Attempt, "run", fates.run)
    return fates


@pytest.mark.parametrize(
    ("containers", "attempts"),
    [
        ([SandboxFailed("OCI runtime create failed"), None], [None]),
        ([None, None], [ContainerLost("ended from outside"), None]),
        ([None, None], [CommandNotStarted("OCI runtime exec failed"), None]),
        ([None, None], [EngineDied("gone"), None]),
        ([EngineDied("gone"), None], [None]),
        ([EngineUnavailable("died between two jobs"), None], [None]),
    ],
)
def test_one_failure_of_the_engine_or_of_somebody_s_clean_up_costs_no_outcome(
    sandbox: DockerSandbox, monkeypatch: pytest.MonkeyPatch, containers: list[Any], attempts: list[Any]
) -> None:
    fates = let(monkeypatch, containers, attempts)
    assert sandbox.run(bash_job("true")) == DONE
    assert fates.containers == fates.attempts == []


@pytest.mark.parametrize("end", [ContainerLost("ended from outside"), CommandNotStarted("ended in its fill")])
def test_what_was_ended_on_purpose_is_not_begun_again(
    sandbox: DockerSandbox, monkeypatch: pytest.MonkeyPatch, end: SandboxFailed
) -> None:
    fates = let(monkeypatch, [None], [None])

    def run(*_: Any, **__: Any) -> JobResult:
        sandbox.stop_running()
        raise end

    monkeypatch.setattr(engine.Attempt, "run", run)
    with pytest.raises(type(end)):
        sandbox.run(bash_job("true"))
    assert fates.containers == []


@pytest.mark.parametrize(
    ("containers", "attempts", "expected"),
    [
        ([SandboxFailed("1"), SandboxFailed("2")], [], SandboxFailed),
        ([ImageMissing("no image")], [], ImageMissing),
        ([None, None], [ContainerLost("1"), ContainerLost("2")], ContainerLost),
        ([None, None], [CommandNotStarted("1"), CommandNotStarted("2")], CommandNotStarted),
        ([None], [SandboxFailed("could not be filled")], SandboxFailed),
        ([None, EngineUnavailable("still gone")], [EngineDied("gone")], EngineDied),
        ([EngineUnavailable("gone"), EngineUnavailable("still gone")], [], EngineUnavailable),
    ],
)
def test_what_fails_again_or_cannot_be_helped_is_told(
    sandbox: DockerSandbox,
    monkeypatch: pytest.MonkeyPatch,
    containers: list[Any],
    attempts: list[Any],
    expected: type[Exception],
) -> None:
    fates = let(monkeypatch, containers, attempts)
    with pytest.raises(expected):
        sandbox.run(bash_job("true"))
    assert fates.containers == fates.attempts == []
