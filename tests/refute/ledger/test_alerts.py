"""Each alert is told once, however many processes look, and again where telling failed or died."""

from datetime import UTC, datetime, timedelta

import pytest

from refute.ledger.alerts import TELLING, AlertMemory
from refute.ledger.store import Ledger

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def test_an_alert_is_told_once_to_each_channel_and_period(ledger: Ledger) -> None:
    def due(channel: str, period: str) -> bool:
        with AlertMemory(ledger, channel).telling(period, "50") as yes:
            return yes

    told = [due("prefect", "2026-11"), due("prefect", "2026-11"), due("prefect", "2026-12"), due("other", "2026-11")]
    assert told == [True, False, True, True]


def test_what_is_being_told_is_not_told_beside_it(ledger: Ledger) -> None:
    with (
        AlertMemory(ledger, "x").telling("2026-11", "50") as first,
        AlertMemory(ledger, "x").telling("2026-11", "50") as second,
    ):
        assert (first, second) == (True, False)


def test_a_telling_that_failed_is_tried_again(ledger: Ledger) -> None:
    memory = AlertMemory(ledger, "x")
    with pytest.raises(OSError, match="gone"), memory.telling("2026-11", "50"):
        raise OSError("gone")
    with memory.telling("2026-11", "50") as due:
        assert due


def test_a_telling_whose_process_died_is_tried_again_after_a_while(ledger: Ledger) -> None:
    clock = [NOW]
    memory = AlertMemory(ledger, "x", clock=lambda: clock[0])
    died = memory.telling("2026-11", "50")
    died.__enter__()  # and never left
    with memory.telling("2026-11", "50") as too_early:
        assert not too_early
    clock[0] += TELLING + timedelta(seconds=1)
    with memory.telling("2026-11", "50") as due:
        assert due
