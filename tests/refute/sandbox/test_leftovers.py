"""Removing what a killed run left, and nothing that somebody needs."""

import pytest

from refute.sandbox import leftovers
from refute.sandbox.leftovers import remove_leftovers


class Engine:
    """Has one container for each of two tickets."""

    def containers(self, **_: object) -> list[dict[str, object]]:
        return [{"Id": f"of-{ticket}", "Labels": {"refute.ticket": ticket}} for ticket in ("A", "B")]

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize(("tickets", "removed"), [(None, ["of-A", "of-B"]), (["A"], ["of-A"]), ([], [])])
def test_only_what_the_tickets_left_is_removed(monkeypatch, tickets, removed):
    said: list[str] = []
    monkeypatch.setattr(leftovers, "connect", Engine)
    monkeypatch.setattr(leftovers, "remove_container", lambda _, name: said.append(name))
    assert remove_leftovers("run", tickets=tickets) == len(removed)
    assert said == removed
