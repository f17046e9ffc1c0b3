import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from docker.errors import APIError, NotFound
from requests import Response

from refute.errors import SandboxFailed
from refute.owner import Owner
from refute.sandbox import reaper
from refute.sandbox.reaper import DEADLINE, OWNER, labels, remove_container
from tests.fakes.jobs import bash_job

NOW = 1_800_000_000


def refusal(status: int) -> APIError:
    response = Response()
    response.status_code = status
    return APIError("refused", response=response)


class ShelfEngine:
    """Containers and volumes on a shelf; remembers what was removed and how."""

    base_url = "http+docker://localhost"

    def __init__(
        self,
        containers: list[Any],
        volumes: list[Any],
        networks: list[Any] | None = None,
        *,
        answer: APIError | None = None,
    ) -> None:
        self._networks = networks or []
        self._containers = containers
        self._volumes = volumes
        self._answer = answer
        self.removed: list[tuple[str, dict[str, bool]]] = []

    def containers(self, **_: Any) -> list[Any]:
        return self._containers

    def volumes(self, **_: Any) -> dict[str, Any]:
        return {"Volumes": self._volumes or None}

    def networks(self, **_: Any) -> list[Any]:
        return self._networks

    def remove_network(self, name: str) -> None:
        self.removed.append((name, {}))

    def remove_container(self, name: str, **options: bool) -> None:
        self.removed.append((name, options))
        if self._answer:
            raise self._answer

    def remove_volume(self, name: str) -> None:
        self.removed.append((name, {}))


class StubbornEngine:
    """A paused container that goes only when it is removed after it was thawed."""

    def __init__(self, refusal: APIError | None) -> None:
        self._refusal = refusal
        self._there = True
        self._thawed = False

    def remove_container(self, name: str, **_: bool) -> None:
        self._there = self._there and not self._thawed
        if self._refusal:
            raise self._refusal

    def unpause(self, name: str) -> None:
        self._thawed = True

    def inspect_container(self, name: str) -> None:
        if not self._there:
            raise NotFound("no such container")


def remove(engine: Any) -> None:
    remove_container(engine, "c1")


def reap(engine: Any) -> tuple[str, ...]:
    return reaper.reap(engine, now=NOW)


def container(deadline: str | None) -> dict[str, Any]:
    return {"Id": "c1", "Labels": None if deadline is None else {"refute": "1", DEADLINE: deadline}}


def test_a_container_past_its_deadline_is_removed_with_its_volumes() -> None:
    engine = ShelfEngine([container(str(NOW - 1))], [])
    assert reap(engine) == ("c1",)
    assert engine.removed == [("c1", {"force": True, "v": True})]


def test_a_volume_that_was_left_behind_is_removed() -> None:
    engine = ShelfEngine([], [{"Name": "v1", "Labels": {DEADLINE: str(NOW - 1)}}])
    assert reap(engine) == ("v1",)


@pytest.mark.parametrize("deadline", [str(NOW + 1), None, "soon", ""])
def test_what_is_not_known_to_be_past_its_deadline_stays(deadline: str | None) -> None:
    engine = ShelfEngine([container(deadline)], [])
    assert reap(engine) == ()
    assert engine.removed == []


@pytest.mark.parametrize("status", [404, 409])
def test_what_is_gone_or_going_is_no_error(status: int) -> None:
    engine = ShelfEngine([container("1")], [], answer=refusal(status))
    assert reap(engine) == ("c1",)


def test_an_engine_that_refuses_is_reported() -> None:
    engine = ShelfEngine([container("1")], [], answer=refusal(500))
    with pytest.raises(SandboxFailed):
        reap(engine)


@pytest.mark.parametrize("answer", [None, refusal(409), refusal(500)])
def test_a_container_that_survives_its_removal_is_thawed_and_removed_again(
    monkeypatch: pytest.MonkeyPatch, answer: APIError | None
) -> None:
    monkeypatch.setattr(reaper, "REMOVAL_ROUND_S", 0.01)
    engine = StubbornEngine(answer)
    remove(engine)
    with pytest.raises(NotFound):
        engine.inspect_container("c1")


def test_removal_gives_up_on_what_never_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaper, "REMOVAL_ROUND_S", 0.01)
    monkeypatch.setattr(reaper, "REMOVAL_TIMEOUT_S", 0.05)
    engine = StubbornEngine(None)
    monkeypatch.setattr(engine, "unpause", lambda _: None)
    remove(engine)
    engine.inspect_container("c1")  # still there, and no error


def test_a_job_s_labels_say_whose_it_is_and_until_when_it_may_live() -> None:
    made = labels(bash_job("true", limits={"timeout_s": 300}), now=NOW)
    assert replace(Owner.parse(made.pop(OWNER)), token="") == replace(Owner.here(), token="")
    assert made == {
        "refute": "1",
        "refute.run": "run-1",
        "refute.ticket": "TCK-1",
        "refute.stage": "verify",
        DEADLINE: str(NOW + 300 + 120),
    }


def test_a_network_past_its_deadline_is_removed_and_another_is_left():
    networks = (
        {"Id": "n1", "Name": "refute-a-net", "Labels": {DEADLINE: str(NOW - 1)}},
        {"Id": "n2", "Name": "refute-b-net", "Labels": {DEADLINE: str(NOW + 1)}},
    )
    engine = ShelfEngine([], [], networks)
    assert reap(engine) == ("refute-a-net",)
    assert engine.removed == [("n1", {})]


def owned(owner: object) -> dict[str, str]:
    return {"refute": "1", DEADLINE: str(NOW + 600), OWNER: str(owner)}


@pytest.fixture(scope="module")
def killed() -> Owner:
    """A process of this machine that is no more, under a number that may come again."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as program:
        owner = Owner.of(program.pid)
        program.kill()
    return owner


def test_what_a_killed_process_left_is_removed_at_once(killed: Owner):
    engine = ShelfEngine(
        [{"Id": "c1", "Labels": owned(killed)}],
        [{"Name": "v1", "Labels": owned(killed)}],
        [{"Id": "n1", "Name": "refute-a-net", "Labels": owned(killed)}],
    )
    assert reap(engine) == ("c1", "refute-a-net", "v1")
    assert engine.removed[0] == ("c1", {"force": True, "v": True})


def test_what_belongs_to_a_process_that_lives_or_cannot_be_seen_stays_until_its_deadline(killed: Owner):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as program:
        owners = [
            Owner.here(),
            Owner.of(program.pid),  # another run beside this one
            replace(killed, host=f"{killed.host}0"),  # in another namespace or on another machine
            "nobody",
            "",
        ]
        engine = ShelfEngine([{"Id": "c", "Labels": owned(owner)} for owner in owners], [])
        assert reap(engine) == ()
        program.kill()


def test_on_an_engine_elsewhere_nothing_is_concluded_from_processes_here(killed: Owner):
    engine = ShelfEngine([{"Id": "c1", "Labels": owned(killed)}, container("1")], [])
    engine.base_url = "http+docker://ssh"
    assert reap(engine) == ("c1",)  # the one past its deadline, of the same id
    assert len(engine.removed) == 1
