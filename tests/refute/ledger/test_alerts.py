"""Each alert is told once, however many processes look, and again where telling failed or died."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from refute.ledger.alerts import TELLING, AlertMemory
from refute.ledger.conversations import Conversations
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


def test_of_several_swaps_of_the_same_one_wins(ledger: Ledger) -> None:
    store = Conversations(ledger)
    assert store.swap("ann", None, {"action": "a", "tries": 0})
    assert not store.swap("ann", None, {"action": "b"})
    assert store.get("bob") is None
    with ThreadPoolExecutor(4) as pool:
        won = list(pool.map(lambda number: store.swap("ann", {"action": "a", "tries": 0}, {"by": number}), range(8)))
    assert sum(won) == 1
    assert store.get("ann") == {"by": won.index(True)}
    assert store.swap("ann", {"by": won.index(True)}, None)
    assert store.get("ann") is None


def test_what_cannot_be_read_waits_no_longer(ledger: Ledger) -> None:
    store = Conversations(ledger)
    store.swap("ann", None, {"action": "a"})
    with ledger.transaction(writes=True) as connection:
        connection.execute(text("UPDATE conversations SET pending = '['"))
    assert store.get("ann") is None
    assert store.swap("ann", None, {"action": "b"})
    assert store.get("ann") == {"action": "b"}
