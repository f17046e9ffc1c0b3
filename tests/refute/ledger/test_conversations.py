"""What waits for a confirmation is swapped in one step, one action a user."""

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import text

from refute.ledger.conversations import Conversations
from refute.ledger.store import Ledger


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
