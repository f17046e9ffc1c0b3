from typing import Any

import pytest

from refute.sandbox import engine, reaper
from refute.sandbox.engine import DockerSandbox
from refute.sandbox.reaper import remove_leftovers


class QuietEngine:
    """Has nothing on it; counts how often it was asked what it has."""

    base_url = "http+docker://localhost"

    def __init__(self) -> None:
        self.asked = 0

    def info(self) -> dict[str, Any]:
        enforced = {"MemoryLimit": True, "PidsLimit": True, "SecurityOptions": ["name=seccomp"]}
        facts = {"ServerVersion": "1", "DefaultRuntime": "runc", "NCPU": 2, "Runtimes": {"runc": {}}}
        return {**facts, **enforced, "SystemTime": "2026-11-23T15:41:59.913215487Z"}

    def containers(self, **_: Any) -> list[Any]:
        self.asked += 1
        return []

    def networks(self, **_: Any) -> list[Any]:
        return []

    def volumes(self, **_: Any) -> dict[str, Any]:
        return {"Volumes": None}

    def close(self) -> None:
        pass


def test_a_sandbox_that_goes_on_sweeps_again_and_one_that_was_closed_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SWEEP_EVERY_S", 0.0)
    made: Any = QuietEngine()
    with DockerSandbox(lambda: made) as sandbox:
        sandbox.facts()
        sandbox.facts()
    assert made.asked == 2
    sandbox = DockerSandbox(lambda: made)
    sandbox.close()
    sandbox.facts()
    assert made.asked == 2


class Engine:
    """Has one container for each of two tickets."""

    def containers(self, **_: object) -> list[dict[str, object]]:
        return [{"Id": f"of-{ticket}", "Labels": {"refute.ticket": ticket}} for ticket in ("A", "B")]

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize(("tickets", "removed"), [(None, ["of-A", "of-B"]), (["A"], ["of-A"]), ([], [])])
def test_only_what_the_tickets_left_is_removed(monkeypatch, tickets, removed):
    said: list[str] = []
    monkeypatch.setattr(reaper, "connect", Engine)
    monkeypatch.setattr(reaper, "remove_container", lambda _, name: said.append(name))
    remove_leftovers("run", tickets=tickets)
    assert said == removed
