"""Batches: their tickets, who said that they may run, and how they ended."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Row, case, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from refute.batch.selection import LastOutcome
from refute.errors import UsageError
from refute.ledger.latest import RECORDED, latest
from refute.ledger.schema import BATCH_TICKETS, BATCHES, OUTCOMES
from refute.ledger.store import IDS_AT_ONCE, Ledger
from refute.outcome import Outcome, Status
from refute.outcome_document import read_document

SHOWN: Final = 5
READ_AT_ONCE: Final = 10
ENTRY: Final = BATCH_TICKETS.c
FINISHED: Final = (
    select(OUTCOMES.c.id)
    .where(OUTCOMES.c.run_id == ENTRY.batch_id, OUTCOMES.c.ticket_id == ENTRY.ticket_id)
    .correlate(BATCH_TICKETS)
    .exists()
)
"""Whether a ticket's outcome is recorded: the outcome itself says so, and is there once."""


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
    finished: bool
    """Whether the ledger has its outcome."""


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
        common = {"batch_id": batch.id, "answer": Answer.WAITING.value, "answered_by": ""}
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
        ours = (ENTRY.batch_id == BATCHES.c.batch_id) & ~FINISHED
        query = select(BATCHES).where(select(ENTRY.position).where(ours).exists())
        with self._ledger.transaction() as connection:
            row = connection.execute(query.order_by(BATCHES.c.created_at.desc()).limit(1)).one_or_none()
        if row is None:
            raise UsageError("--resume: the ledger has no unfinished batch")
        return _batch(row)

    def tickets(self, batch_id: str) -> list[BatchTicket]:
        """All tickets of a batch in order."""
        query = select(BATCH_TICKETS, FINISHED.label("finished")).where(ENTRY.batch_id == batch_id)
        with self._ledger.transaction() as connection:
            return [_ticket(row) for row in connection.execute(query.order_by(ENTRY.position))]

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
                asked = (ENTRY.batch_id == batch_id) & (ENTRY.ticket_id == ticket_id) & ~FINISHED
                if instead_of is not None:
                    asked &= ENTRY.answer == instead_of.value
                values = {"answer": answer.value, "answered_by": by[:200], "digest": digest, **moments}
                connection.execute(update(BATCH_TICKETS).where(asked).values(values))

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
        finished=bool(row.finished),
    )
