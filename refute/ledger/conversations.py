"""What waits for a person's confirmation in conversations with the assistant, one action a user."""

import json
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from refute.guardrails.pending import Pending
from refute.ledger.schema import CONVERSATIONS
from refute.ledger.store import Ledger

ROW = CONVERSATIONS.c


class Conversations:
    """Pending actions in the ledger, where they outlive the process; each change is one transaction.

    Args:
        ledger: where they are.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def get(self, user: str) -> Pending | None:
        """What waits for a user's answer; what cannot be read waits no longer.

        Raises:
            LedgerUnavailable: the database does not do its part.
        """
        with self._ledger.transaction() as connection:
            text = connection.scalar(select(ROW.pending).where(ROW.user == user))
        return None if text is None else _read(text)

    def swap(self, user: str, expected: Pending | None, new: Pending | None) -> bool:
        """Put `new` where `expected` is, in one step; False, and nothing done, where something else is there.

        Raises:
            LedgerUnavailable: the database does not do its part.
        """
        try:
            with self._ledger.transaction(writes=True) as connection:
                return _swap(connection, user, expected, new)
        except IntegrityError:  # somebody put one there between look and write
            return False


def _swap(connection: Connection, user: str, expected: Pending | None, new: Pending | None) -> bool:
    mine = ROW.user == user
    text = connection.scalar(select(ROW.pending).where(mine).with_for_update())
    if (None if text is None else _read(text)) != expected:
        return False
    now = datetime.now(UTC)
    if new is None:
        connection.execute(delete(CONVERSATIONS).where(mine))
    elif text is None:
        connection.execute(insert(CONVERSATIONS).values(user=user, pending=json.dumps(new), at=now))
    else:
        connection.execute(update(CONVERSATIONS).where(mine).values(pending=json.dumps(new), at=now))
    return True


def _read(text: str) -> Pending | None:
    try:
        read = json.loads(text)
    except ValueError:
        return None
    return read if isinstance(read, dict) else None
