"""Batches: their tickets, who may run them and who is running them, so that processes can share one batch.

A ticket is claimed for a time (a lease) that its owner renews. An outcome is recorded in the transaction that finds its
ticket still its owner's and marks it finished; so whatever is killed, stalls or comes back, a ticket of a batch has one
outcome. Clocks of machines that share a batch must agree to well under `LEASE_S`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, case, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from refute.batch.selection import LastOutcome
from refute.errors import UsageError
from refute.guardrails.audit_chain import AuditAnchor
from refute.ledger.latest import RECORDED, latest
from refute.ledger.schema import BATCH_TICKETS, BATCHES, OUTCOMES
from refute.ledger.store import IDS_AT_ONCE, Ledger
from refute.outcome import Outcome, Status
from refute.outcome_document import read_document

LEASE_S: Final = 60.0
"""How long a ticket stays claimed by a process that is not heard of any more."""
SHOWN: Final = 5
READ_AT_ONCE: Final = 10
ENTRY: Final = BATCH_TICKETS.c


class Answer(StrEnum):
    """What was answered about running a ticket of a batch."""

    WAITING = "waiting"
    APPROVED = "approved"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One batch; its id is the run id of its tickets' outcomes."""

    id: str
    source: str
    """Directory or file that the tickets were read from."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchTicket:
    """One ticket of a batch as the ledger knows it."""

    position: int
    ticket_id: str
    source: str
    answer: Answer
    answered_by: str
    digest: str | None
    """Snapshot that the answer is about; None where it is about whatever the files are."""
    asked_at: datetime | None
    """When it began to wait for a person; None: it never did."""
    answered_at: datetime | None
    """When it was answered; None: it waits."""
    owner: str | None
    finished: bool


class Batches:
    """The batches of one ledger.

    Every method raises `LedgerUnavailable` where the database does not do its part.

    Args:
        ledger: where they lie.
        clock: the present moment.
    """

    def __init__(self, ledger: Ledger, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._ledger = ledger
        self._clock = clock

    @property
    def ledger(self) -> Ledger:
        """Where they lie."""
        return self._ledger

    def create(self, batch: Batch, tickets: Sequence[tuple[str, str]]) -> None:
        """Enter a batch with its tickets, all waiting for an answer.

        Args:
            batch: the batch.
            tickets: (ticket id, source), each id once.

        Raises:
            UsageError: there is a batch of this name.
        """
        common = {"batch_id": batch.id, "answer": Answer.WAITING.value, "answered_by": "", "finished": False}
        rows = [
            {**common, "position": position, "ticket_id": ticket_id, "source": source}
            for position, (ticket_id, source) in enumerate(tickets)
        ]
        header = {"batch_id": batch.id, "source": batch.source, "created_at": batch.created_at}
        try:
            with self._ledger.transaction(writes=True) as connection:
                connection.execute(insert(BATCHES).values(header))
                if rows:
                    connection.execute(insert(BATCH_TICKETS), rows)
        except IntegrityError as error:
            raise UsageError(
                f"batch {batch.id!r}: is in the ledger already", hint="Take another name, or go on with it by --resume."
            ) from error

    def find(self, batch_id: str) -> Batch:
        """The batch of an id.

        Raises:
            UsageError: there is none; the message names the latest ones.
        """
        newest = select(BATCHES).order_by(BATCHES.c.created_at.desc())
        with self._ledger.transaction() as connection:
            row = connection.execute(select(BATCHES).where(BATCHES.c.batch_id == batch_id)).one_or_none()
            if row is not None:
                return _batch(row)
            known = ", ".join(row.batch_id for row in connection.execute(newest.limit(SHOWN)))
        raise UsageError(f"batch {batch_id!r}: not in the ledger", hint=f"The latest ones: {known or 'none'}.")

    def latest_unfinished(self) -> Batch:
        """The newest batch with a ticket that has no outcome.

        Raises:
            UsageError: all are finished.
        """
        ours = (ENTRY.batch_id == BATCHES.c.batch_id) & ENTRY.finished.is_(False)
        query = select(BATCHES).where(select(ENTRY.position).where(ours).exists())
        with self._ledger.transaction() as connection:
            row = connection.execute(query.order_by(BATCHES.c.created_at.desc()).limit(1)).one_or_none()
        if row is None:
            raise UsageError("--resume: got no batch, and the ledger has none that is unfinished")
        return _batch(row)

    def unfinished_since(self, earliest: datetime) -> datetime | None:
        """When the oldest unfinished batch was opened, of those from `earliest` on; None where there is none."""
        ours = (ENTRY.batch_id == BATCHES.c.batch_id) & ENTRY.finished.is_(False)
        query = select(BATCHES.c.created_at).where(select(ENTRY.position).where(ours).exists())
        query = query.where(BATCHES.c.created_at >= earliest)
        with self._ledger.transaction() as connection:
            return connection.execute(query.order_by(BATCHES.c.created_at).limit(1)).scalar()

    def tickets(self, batch_id: str) -> list[BatchTicket]:
        """All tickets of a batch in order."""
        query = select(BATCH_TICKETS).where(ENTRY.batch_id == batch_id).order_by(ENTRY.position)
        with self._ledger.transaction() as connection:
            return [_ticket(row) for row in connection.execute(query)]

    def answer(
        self,
        batch_id: str,
        answer: Answer,
        *,
        by: str,
        digests: Mapping[str, str | None],
        instead_of: Answer | None = None,
    ) -> None:
        """Note an answer, or what is waited for, for tickets that are not finished.

        Args:
            batch_id: the batch.
            answer: what was answered.
            by: who did.
            digests: ticket id → snapshot that it is about.
            instead_of: only where the answer so far is this one: another process may have got one meanwhile.
        """
        now = self._clock()
        waits = answer is Answer.WAITING
        # What waits already goes on waiting since then, also where it is put to somebody again.
        since = case((ENTRY.answer == Answer.WAITING.value, func.coalesce(ENTRY.asked_at, now)), else_=now)
        moments = {"asked_at": since, "answered_at": None} if waits else {"answered_at": now}
        with self._ledger.transaction(writes=True) as connection:
            for ticket_id, digest in digests.items():
                asked = (ENTRY.batch_id == batch_id) & (ENTRY.ticket_id == ticket_id) & ENTRY.finished.is_(False)
                if instead_of is not None:
                    asked &= ENTRY.answer == instead_of.value
                values = {"answer": answer.value, "answered_by": by[:200], "digest": digest, **moments}
                connection.execute(update(BATCH_TICKETS).where(asked).values(values))

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
            return _ticket(row)

    def leases(self, batch_id: str) -> dict[str, datetime]:
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

    def outcomes(self, batch_id: str) -> Iterator[Outcome]:
        """The outcomes of a batch in the order of its tickets, read one by one: each may be megabytes."""
        same = (ENTRY.batch_id == OUTCOMES.c.run_id) & (ENTRY.ticket_id == OUTCOMES.c.ticket_id)
        query = select(OUTCOMES.c.document).join(BATCH_TICKETS, same).where(ENTRY.batch_id == batch_id)
        with self._ledger.transaction() as connection:
            streamed = connection.execution_options(yield_per=READ_AT_ONCE)
            for document in streamed.scalars(query.order_by(ENTRY.position)):
                yield read_document(document)

    def recorded_after(self, batch_id: str, last: int) -> Iterator[tuple[int, Outcome]]:
        """The outcomes of a batch by whichever process, with their keys, in the order of recording.

        Args:
            batch_id: the batch.
            last: key of the last one that is known; 0: none is.
        """
        query = select(RECORDED, OUTCOMES.c.document).where(OUTCOMES.c.run_id == batch_id, OUTCOMES.c.id > last)
        with self._ledger.transaction() as connection:
            streamed = connection.execution_options(yield_per=READ_AT_ONCE)
            for key, document in streamed.execute(query.order_by(RECORDED)):
                yield key, read_document(document)

    def last_outcomes(self, ticket_ids: Iterable[str]) -> dict[str, LastOutcome]:
        """Ticket id → how it ended last, for those that were ever verified; a dry run verifies nothing."""
        listed = list(ticket_ids)
        found: dict[str, LastOutcome] = {}
        with self._ledger.transaction() as connection:
            for start in range(0, len(listed), IDS_AT_ONCE):
                some = OUTCOMES.c.ticket_id.in_(listed[start : start + IDS_AT_ONCE])
                verified = OUTCOMES.c.status != Status.DRY_RUN.value
                columns = select(OUTCOMES.c.ticket_id, OUTCOMES.c.status, OUTCOMES.c.started_at)
                for row in connection.execute(columns.where(RECORDED.in_(latest(some, verified)))):
                    found[row.ticket_id] = LastOutcome(status=Status(row.status), started_at=row.started_at)
        return found


def _held(batch_id: str, owner: str) -> ColumnElement[bool]:
    return and_(ENTRY.batch_id == batch_id, ENTRY.owner == owner, ENTRY.finished.is_(False))


def _batch(row: Row[Any]) -> Batch:
    return Batch(id=row.batch_id, source=row.source, created_at=row.created_at)


def _ticket(row: Row[Any]) -> BatchTicket:
    return BatchTicket(
        position=row.position,
        ticket_id=row.ticket_id,
        source=row.source,
        answer=Answer(row.answer),
        answered_by=row.answered_by,
        digest=row.digest,
        asked_at=row.asked_at,
        answered_at=row.answered_at,
        owner=row.owner,
        finished=bool(row.finished),
    )
