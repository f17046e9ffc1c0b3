from typing import Any

import pytest
from docker.errors import APIError

from refute.sandbox import freeze as freezing
from refute.sandbox.freeze import freeze


class BusyEngine:
    """Refuses to pause a container a number of times."""

    def __init__(self, refusals: int, why: str = "OCI runtime pause failed: unable to freeze: unknown") -> None:
        self._refusals = refusals
        self._why = why
        self.asked = 0

    def pause(self, container: str) -> None:
        self.asked += 1
        if self.asked <= self._refusals:
            raise APIError("500", explanation=self._why)


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freezing, "PAUSE_S", 0.0)


def test_a_container_that_is_too_busy_to_be_frozen_is_asked_again_until_it_is_given_up(monkeypatch) -> None:
    engine: Any = BusyEngine(3)
    freeze(engine, "c")
    assert engine.asked == 4
    monkeypatch.setattr(freezing, "FREEZE_TIMEOUT_S", 0.0)
    engine = BusyEngine(10**9)
    with pytest.raises(APIError):
        freeze(engine, "c")


def test_another_refusal_is_final() -> None:
    engine: Any = BusyEngine(1, "No such container: c")
    with pytest.raises(APIError):
        freeze(engine, "c")
    assert engine.asked == 1
