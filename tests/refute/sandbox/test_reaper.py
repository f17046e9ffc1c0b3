import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from docker.errors import APIError, NotFound
from requests import Response

from refute.errors import SandboxFailed
from refute.owner import Owner
from refute.sandbox import reaper
from refute.sandbox.reaper import LIFETIME_S, OWNER, labels, reap, remove_container
from tests.fakes.jobs import bash_job

NOW = 1_800_000_000
"""By the engine's clock."""
A_DAY_S = 86_400


def in_words(moment: int) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%S}.913215487Z"  # the engine tells nanoseconds


def refusal(status: int) -> APIError:
    response = Response()
    response.status_code = status
    return APIError("refused", response=response)


class ShelfEngine:
    """Containers and volumes on a shelf; remembers what was removed and how."""

    base_url = "http+docker://localhost"

    def __init__(self, containers: Any, volumes: Any = (), networks: Any = (), *, answer: Any = None) -> None:
        self._containers, self._volumes, self._networks, self._answer = containers, volumes, networks, answer
        self.removed: list[tuple[str, dict[str, bool]]] = []

    def info(self) -> dict[str, Any]:
        return {"SystemTime": in_words(NOW)}

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


def marks(owner: object = "nobody", lifetime_s: object = 600) -> dict[str, str]:
    return {"refute": "1", LIFETIME_S: str(lifetime_s), OWNER: str(owner)}


def container(age_s: int = 601, *, state: str = "created", **more: Any) -> dict[str, Any]:
    return {"Id": "c1", "State": state, "Created": NOW - age_s, "Labels": marks(), **more}


@pytest.mark.parametrize("client_is_ahead_s", [-3 * A_DAY_S, 0, 3 * A_DAY_S])
def test_age_is_judged_by_the_engine_s_clock_wherever_the_client_s_stands(monkeypatch, client_is_ahead_s):
    monkeypatch.setattr(time, "time", lambda: NOW + client_is_ahead_s)
    old, young = (
        ShelfEngine(
            [container(age_s)],
            [{"Name": "v1", "CreatedAt": in_words(NOW - age_s), "Labels": marks()}],
            [{"Id": "n1", "Name": "refute-a-net", "Created": in_words(NOW - age_s), "Labels": marks()}],
        )
        for age_s in (602, 598)
    )
    assert reap(old) == ("c1", "refute-a-net", "v1")
    assert old.removed == [("c1", {"force": True, "v": True}), ("n1", {}), ("v1", {})]
    assert reap(young) == ()
    assert young.removed == []


@pytest.mark.parametrize(
    "doubtful",
    [
        container(state="running"),  # it ends itself: its age says that the engine's clock was set
        container(Labels=None),
        container(Labels=marks(lifetime_s="soon")),
        container(Labels={"refute": "1", "refute.deadline": "1", OWNER: "nobody"}),  # of an older version
        container(Created=None),
    ],
)
def test_what_is_not_known_to_have_outlived_its_time_stays(doubtful):
    engine = ShelfEngine([doubtful])
    assert reap(engine) == ()
    assert engine.removed == []


@pytest.mark.parametrize("status", [403, 404, 409])
def test_what_is_in_use_or_gone_or_going_is_no_error(status):
    engine = ShelfEngine([container()], answer=refusal(status))
    assert reap(engine) == ("c1",)


def test_an_engine_that_refuses_is_reported():
    engine = ShelfEngine([container()], answer=refusal(500))
    with pytest.raises(SandboxFailed):
        reap(engine)


@pytest.mark.parametrize("answer", [None, refusal(409), refusal(500)])
def test_a_container_that_survives_its_removal_is_thawed_and_removed_again(monkeypatch, answer):
    monkeypatch.setattr(reaper, "REMOVAL_ROUND_S", 0.01)
    engine = StubbornEngine(answer)
    remove_container(engine, "c1")
    with pytest.raises(NotFound):
        engine.inspect_container("c1")


def test_removal_gives_up_on_what_never_goes(monkeypatch):
    monkeypatch.setattr(reaper, "REMOVAL_ROUND_S", 0.01)
    monkeypatch.setattr(reaper, "REMOVAL_TIMEOUT_S", 0.05)
    engine = StubbornEngine(None)
    monkeypatch.setattr(engine, "unpause", lambda _: None)
    remove_container(engine, "c1")
    engine.inspect_container("c1")  # still there, and no error


def test_a_job_s_labels_say_whose_it_is_and_how_long_it_may_live():
    made = labels(bash_job("true", limits={"timeout_s": 300}), waiting_s=20)
    assert replace(Owner.parse(made.pop(OWNER)), token="") == replace(Owner.here(), token="")
    assert made == {
        "refute": "1",
        "refute.run": "run-1",
        "refute.ticket": "TCK-1",
        "refute.stage": "verify",
        LIFETIME_S: str(20 + 300 + 120),
    }


@pytest.fixture(scope="module")
def killed() -> Owner:
    """A process of this machine that is no more, under a number that may come again."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as program:
        owner = Owner.of(program.pid)
        program.kill()
    return owner


def test_what_belongs_to_a_process_that_cannot_be_seen_stays_until_its_time_is_over(killed):
    owners = [replace(killed, host=f"{killed.host}0"), "nobody", ""]  # in another namespace or on another machine
    assert reap(ShelfEngine([container(598, Labels=marks(owner)) for owner in owners], [])) == ()
    assert len(reap(ShelfEngine([container(602, Labels=marks(owner)) for owner in owners], []))) == len(owners)


@pytest.mark.parametrize("base_url", ["http+docker://localhost", "http+docker://ssh"])
def test_what_belongs_to_a_process_of_this_machine_that_lives_is_that_process_s_to_remove(base_url):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as program:
        owners = [Owner.here(), Owner.of(program.pid)]  # this run and another beside it
        engine = ShelfEngine([container(3 * A_DAY_S, Labels=marks(owner)) for owner in owners], [])
        engine.base_url = base_url
        assert reap(engine) == ()
        program.kill()


def test_a_volume_without_a_container_goes_when_its_time_is_over_though_its_owner_lives():
    volumes = [
        {"Name": f"v{age_s}", "CreatedAt": in_words(NOW - age_s), "Labels": marks(Owner.here())} for age_s in (598, 602)
    ]
    assert reap(ShelfEngine([], volumes)) == ("v602",)


def test_on_an_engine_elsewhere_nothing_is_concluded_from_processes_here(killed):
    engine = ShelfEngine([container(0, Labels=marks(killed)), container(602, Id="c2", Labels=marks(killed))], [])
    engine.base_url = "http+docker://ssh"
    assert reap(engine) == ("c2",)  # the one whose time is over
