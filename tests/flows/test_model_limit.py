"""Waiting for a turn at a server that is away; with Prefect's own server: tests/scenarios/test_model_limit.py."""

from unittest.mock import Mock

import httpx
import pytest
from prefect.concurrency import sync
from prefect.concurrency._asyncio import ConcurrencySlotAcquisitionError

from flows.orchestrator import model_limit
from refute.errors import OrchestratorUnavailable


class Slots:
    """In the place of Prefect's `concurrency`: one thing that happens for each time that it is asked."""

    def __init__(self, *happens: BaseException | None, at_the_end: BaseException | None = None) -> None:
        self._happens = list(happens)
        self._at_the_end = at_the_end
        self.asked = 0

    def __call__(self, *_: object, **__: object) -> "Slots":
        return self

    def __enter__(self) -> None:
        self.asked += 1
        happened = self._happens.pop(0) if len(self._happens) > 1 else self._happens[0]
        if happened is not None:
            raise happened

    def __exit__(self, *_: object) -> None:
        if self._at_the_end is not None:
            raise self._at_the_end


def refused(cause: Exception) -> ConcurrencySlotAcquisitionError:
    error = ConcurrencySlotAcquisitionError("Unable to acquire concurrency slots")
    error.__cause__ = cause
    return error


def status(code: int) -> httpx.HTTPStatusError:
    return httpx.HTTPStatusError("", request=Mock(), response=httpx.Response(code))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that were slept away; every look at the clock takes one more."""
    now = [0.0]

    def monotonic() -> float:
        now[0] += 1
        return now[0]

    monkeypatch.setattr(model_limit.time, "monotonic", monotonic)
    monkeypatch.setattr(model_limit.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    return now


@pytest.mark.parametrize("happens", [TimeoutError(), refused(httpx.ConnectError("")), refused(status(503))])
def test_a_server_that_is_away_for_a_while_is_waited_for(monkeypatch, clock, happens):
    slots = Slots(happens, happens, None)
    monkeypatch.setattr(sync, "concurrency", slots)
    monkeypatch.setattr(model_limit, "still_answers", lambda: False)
    with model_limit.model_turn():
        assert slots.asked == 3


@pytest.mark.parametrize("happens", [TimeoutError(), refused(httpx.ConnectError("")), refused(status(500))])
def test_a_server_that_is_gone_for_good_is_not_waited_for_for_ever(monkeypatch, clock, happens):
    monkeypatch.setattr(sync, "concurrency", Slots(happens))
    monkeypatch.setattr(model_limit, "still_answers", lambda: False)
    with pytest.raises(OrchestratorUnavailable, match="has not answered for 120 s") as raised, model_limit.model_turn():
        pytest.fail("there was no turn")
    assert clock[0] < 2 * model_limit.SILENT_S
    assert "started again" in raised.value.hint


def test_a_turn_that_others_have_is_waited_for_as_long_as_the_server_answers(monkeypatch, clock):
    slots = Slots(*[TimeoutError()] * 500, None)
    monkeypatch.setattr(sync, "concurrency", slots)
    monkeypatch.setattr(model_limit, "still_answers", lambda: True)
    with model_limit.model_turn():
        assert clock[0] > 2 * model_limit.SILENT_S


def test_a_server_that_refuses_for_good_is_an_error_at_once(monkeypatch, clock):
    slots = Slots(refused(status(401)))
    monkeypatch.setattr(sync, "concurrency", slots)
    with pytest.raises(OrchestratorUnavailable, match="Unable to acquire"), model_limit.model_turn():
        pytest.fail("there was no turn")
    assert slots.asked == 1


def test_what_goes_wrong_during_a_turn_is_told_also_where_its_slot_cannot_be_given_back(monkeypatch, clock):
    monkeypatch.setattr(sync, "concurrency", Slots(None, at_the_end=httpx.ConnectError("the server was killed")))
    with pytest.raises(ValueError, match="of the request"), model_limit.model_turn():
        raise ValueError("of the request")
