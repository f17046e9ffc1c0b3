"""Who is running the tickets of a batch, so that processes can share it.

A ticket is claimed for a time (a lease) that its owner renews. An outcome is recorded in the transaction that finds its
ticket still its owner's and marks it finished; so whatever is killed, stalls or comes back, a ticket of a batch has one
outcome. Clocks of machines that share a batch must agree to well under `LEASE_S`.
"""

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, update

from refute.guardrails.audit_chain import AuditAnchor
from refute.ledger.batches import ENTRY, Answer, BatchTicket, ticket_of
from refute.ledger.schema import BATCH_TICKETS
from refute.ledger.store import Ledger
from refute.outcome import Outcome

LEASE_S: Final = 60.0
"""How long a ticket stays claimed by a process that is not heard of any more."""


class Leases:
    """The leases on the tickets of one ledger's batches.

    Every method raises `LedgerUnavailable` where the database does not do its part.

    Args:
        ledger: where they lie.
        clock: the present moment.
    """

    def __init__(self, ledger: Ledger, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._ledger = ledger
        self._clock = clock

    def claim(self, batch_id: str, owner: str, *, gone: Collection[str] = ()) -> BatchTicket | None:
        """Take the next ticket that was answered, is not finished, and that nobody works on.

        Args:
            batch_id: the batch.
            owner: who takes it.
            gone: owners known to be dead, whose leases count for nothing.

        Returns:
            The ticket as it was before, so with its last owner; None where there is none at this moment.
        """
        now = self._clock()
        free = or_(ENTRY.owner.is_(None), ENTRY.lease_until < now, ENTRY.owner.in_(list(gone)))
        due = and_(ENTRY.batch_id == batch_id, ENTRY.finished.is_(False), ENTRY.answer != Answer.WAITING.value, free)
        query = select(BATCH_TICKETS).where(due).order_by(ENTRY.position).limit(1).with_for_update(skip_locked=True)
        with self._ledger.transaction(writes=True) as connection:
            row = connection.execute(query).one_or_none()
            if row is None:
                return None
            this = (ENTRY.batch_id == batch_id) & (ENTRY.position == row.position)
            lease = {"owner": owner, "lease_until": now + timedelta(seconds=LEASE_S)}
            connection.execute(update(BATCH_TICKETS).where(this).values(lease))
            return ticket_of(row)

    def owners(self, batch_id: str) -> dict[str, datetime]:
        """Who works on tickets of a batch, or did when it was killed → when its lease ends."""
        held = (ENTRY.batch_id == batch_id) & ENTRY.finished.is_(False) & ENTRY.owner.is_not(None)
        query = select(ENTRY.owner, func.max(ENTRY.lease_until)).where(held).group_by(ENTRY.owner)
        with self._ledger.transaction() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def renew(self, batch_id: str, owner: str) -> None:
        """Say that an owner is alive and still works on what it claimed."""
        until = self._clock() + timedelta(seconds=LEASE_S)
        with self._ledger.transaction(writes=True) as connection:
            connection.execute(update(BATCH_TICKETS).where(_held(batch_id, owner)).values(lease_until=until))

    def release(self, batch_id: str, owner: str, *, ticket_id: str | None = None) -> None:
        """Give back what an owner claimed and did not finish; what it still records of these is refused.

        Args:
            batch_id: the batch.
            owner: whose.
            ticket_id: only this ticket.
        """
        held = _held(batch_id, owner)
        if ticket_id is not None:
            held &= ENTRY.ticket_id == ticket_id
        with self._ledger.transaction(writes=True) as connection:
            connection.execute(update(BATCH_TICKETS).where(held).values(owner=None, lease_until=None))

    def record(self, outcome: Outcome, owner: str, *, audited: AuditAnchor | None = None) -> bool:
        """Record the outcome of a ticket that its owner still holds.

        Args:
            outcome: what to write.
            owner: who claimed its ticket.
            audited: as in `Ledger.record`.

        Returns:
            False where it was given back, or was taken over since: nothing is recorded.
        """
        held = _held(outcome.run_id, owner) & (ENTRY.ticket_id == outcome.ticket_id)
        finished = {"finished": True, "owner": None, "lease_until": None}

        def finish(connection: Connection) -> bool:
            return connection.execute(update(BATCH_TICKETS).where(held).values(finished)).rowcount == 1

        return self._ledger.record(outcome, audited=audited, provided=finish)


def _held(batch_id: str, owner: str) -> ColumnElement[bool]:
    return and_(ENTRY.batch_id == batch_id, ENTRY.owner == owner, ENTRY.finished.is_(False))
