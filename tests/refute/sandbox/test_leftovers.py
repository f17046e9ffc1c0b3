"""Removing what a killed run left, and nothing that somebody needs."""

from refute.sandbox import leftovers
from refute.sandbox.leftovers import remove_leftovers


class Engine:
    """Has one container for each of two tickets."""

    def __init__(self, said: list[str]) -> None:
        self._said = said

    def containers(self, **_: object) -> list[dict[str, object]]:
        self._said.append("listed")
        return [{"Id": f"of-{ticket}", "Labels": {"refute.ticket": ticket}} for ticket in ("A", "B")]

    def close(self) -> None:
        """Nothing is open."""


def test_only_what_nobody_needs_is_removed_and_that_is_asked_after_the_containers_are_listed(monkeypatch):
    said: list[str] = []
    monkeypatch.setattr(leftovers, "connect", lambda: Engine(said))
    monkeypatch.setattr(leftovers, "remove_container", lambda _, name: said.append(name))

    def needed() -> set[str]:
        said.append("asked")
        return {"B"}

    assert remove_leftovers("run", spare=needed) == 1
    assert said == ["listed", "asked", "of-A"]
