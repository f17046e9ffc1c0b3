"""Which alerts were told to whom, so that each is told once, by however many processes look."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from refute.ledger.schema import ALERTS
from refute.ledger.store import Ledger

TELLING: Final = timedelta(minutes=5)
"""After this long, a telling that did not end is taken to have died with its process, and is tried again."""
ROW: Final = ALERTS.c


class AlertMemory:
    """The memory of one channel.

    Every method raises `LedgerUnavailable` where the database does not do its part.

    Args:
        ledger: where it lies.
        channel: who is told, such as `prefect`; one that is told elsewhere is another one.
        clock: the present moment.
    """

    def __init__(
        self, ledger: Ledger, channel: str, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._ledger = ledger
        self._channel = channel
        self._clock = clock

    @contextmanager
    def telling(self, period: str, alert: str) -> Iterator[bool]:
        """Tell in this block, if True is yielded; a block that raises leaves the alert untold.

        Args:
            period: within which it is told once.
            alert: its name.
        """
        this = (ROW.channel == self._channel) & (ROW.period == period) & (ROW.alert == alert)
        if not self._claim(this, period, alert):
            yield False
            return
        try:
            yield True
        except BaseException:
            with self._ledger.transaction(writes=True) as connection:
                connection.execute(delete(ALERTS).where(this & ROW.sent.is_(False)))
            raise
        with self._ledger.transaction(writes=True) as connection:
            connection.execute(update(ALERTS).where(this).values(sent=True))

    def _claim(self, this: ColumnElement[bool], period: str, alert: str) -> bool:
        now = self._clock()
        try:
            with self._ledger.transaction(writes=True) as connection:
                if _exists(connection, this):
                    died = this & ROW.sent.is_(False) & (ROW.claimed_at < now - TELLING)
                    return connection.execute(update(ALERTS).where(died).values(claimed_at=now)).rowcount == 1
                row = {"channel": self._channel, "period": period, "alert": alert, "claimed_at": now, "sent": False}
                connection.execute(insert(ALERTS).values(row))
                return True
        except IntegrityError:  # another process was quicker
            return False


def _exists(connection: Connection, this: ColumnElement[bool]) -> bool:
    return connection.execute(select(ROW.alert).where(this)).first() is not None
