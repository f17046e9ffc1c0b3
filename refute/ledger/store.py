"""The ledger: every outcome once, in one transaction, whatever is retried or killed."""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Final, Self

from sqlalchemy import Connection, Engine, Select, bindparam, insert, or_, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from refute.guardrails.audit_chain import AuditAnchor, ChainHead
from refute.ledger import rows
from refute.ledger.database import WRITES, idempotent, open_database, unavailable
from refute.ledger.schema import CLAIMS, CONFIRMATIONS, FAILURES, OUTCOMES, REVIEWS, RUNS, SANDBOX_RUNS, CsvState
from refute.outcome import Outcome
from refute.outcome_document import read_document
from refute.settings import Settings
from refute.uninterrupted import uninterrupted

FETCHED_AT_ONCE: Final = 1_000
IDS_AT_ONCE: Final = 500
"""Fewer than the number of parameters that any database takes in one statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """What the cost table says of one outcome."""

    id: int
    csv_state: CsvState
    started_at: datetime
    run_id: str
    ticket_id: str
    status: str
    tester: str
    cost_usd: Decimal | None
    """None where a price is not known."""
    duration_s: float
    claims_total: int
    claims_refuted: int
    strength: float | None
    models: str | None
    input_tokens: int | None
    output_tokens: int | None


class Ledger:
    """The durable table of outcomes; any number of processes may use the same one.

    Every method raises `LedgerUnavailable` where the database does not do its part.
    """

    def __init__(self, engine: Engine, *, locks: Path, costs_csv: Path) -> None:
        self._engine = engine
        self.locks = locks
        """Directory for the lock files of whatever is derived from the ledger."""
        self.costs_csv = costs_csv
        """The cost table that gets the lines of what is recorded."""

    @classmethod
    def open(cls, settings: Settings) -> Self:
        """Open the ledger of the settings; its tables are made or brought up to date where needed.

        Raises:
            SettingsInvalid: `ledger_url` cannot be used.
        """
        return cls(open_database(settings), locks=settings.state_dir, costs_csv=settings.costs_csv)

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    @idempotent
    def record(self, outcome: Outcome, *, audited: AuditAnchor | None = None) -> bool:
        """Write an outcome with all its rows, or nothing; its cost line is due in the settings' cost table.

        Args:
            outcome: what to write.
            audited: where the audit log stood at the verdict, so that lines cut off it later show.

        Returns:
            False where (run id, ticket id, attempt) is there already: the first record stands. False also where the
            connection was lost after the commit: then it is this call's own record that stands.
        """
        new = rows.rows_of(outcome, audited, table_name(self.costs_csv))  # before the transaction: others wait for that
        try:
            with self.transaction(writes=True) as connection:
                return _insert(connection, new)
        except IntegrityError as error:
            # Another process recorded the same run or outcome between our look and our write.
            try:
                with self.transaction(writes=True) as connection:
                    return _insert(connection, new)
            except IntegrityError:
                raise unavailable(self._engine, error) from error

    @idempotent
    def outcomes(
        self,
        *,
        run_id: str | None = None,
        ticket_id: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
    ) -> list[Outcome]:
        """Outcomes as they were recorded, the newest first.

        Args:
            run_id: only of this run.
            ticket_id: only of this ticket.
            since: only those that started then or later.
            limit: at most so many.
        """
        query = select(OUTCOMES.c.document).order_by(OUTCOMES.c.started_at.desc(), OUTCOMES.c.id.desc())
        if run_id is not None:
            query = query.where(OUTCOMES.c.run_id == run_id)
        if ticket_id is not None:
            query = query.where(OUTCOMES.c.ticket_id == ticket_id)
        if since is not None:
            query = query.where(OUTCOMES.c.started_at >= since)
        with self.transaction() as connection:
            return [read_document(document) for document in connection.scalars(query.limit(limit))]

    def cost_rows(self, states: Collection[CsvState] | None = None, *, table: Path | None = None) -> Iterator[CostRow]:
        """What cost tables must hold, in the order of recording; streamed.

        Args:
            states: only outcomes whose lines have come so far.
            table: only outcomes whose lines this file gets.
        """
        query: Select[tuple[object, ...]] = select(*(OUTCOMES.c[name] for name in _COST_COLUMNS)).order_by(
            OUTCOMES.c.id
        )
        if states is not None:
            query = query.where(OUTCOMES.c.csv_state.in_([state.value for state in states]))
        if table is not None:
            query = query.where(or_(OUTCOMES.c.costs_csv.is_(None), OUTCOMES.c.costs_csv == table_name(table)))
        with self.transaction() as connection:
            for row in connection.execution_options(yield_per=FETCHED_AT_ONCE).execute(query).mappings():
                fields = dict(row)
                state, cost_usd = CsvState(fields.pop("csv_state")), fields.pop("cost_nanousd")
                known = fields.pop("cost_known")
                yield CostRow(csv_state=state, cost_usd=cost_usd if known else None, **fields)

    @idempotent
    def audit_heads(self, log: str) -> set[ChainHead]:
        """The heads that were kept of an audit log, by its `log_name`."""
        query = select(OUTCOMES.c.audit_sequence, OUTCOMES.c.audit_hash).where(OUTCOMES.c.audit_log == log)
        with self.transaction() as connection:
            return {ChainHead(sequence=row.audit_sequence, hash=row.audit_hash) for row in connection.execute(query)}

    @idempotent
    def mark_csv(self, ids: Sequence[int], state: CsvState) -> None:
        """Note how far the cost table's lines of these outcomes have come."""
        with self.transaction(writes=True) as connection:
            for start in range(0, len(ids), IDS_AT_ONCE):
                some = ids[start : start + IDS_AT_ONCE]
                connection.execute(update(OUTCOMES).where(OUTCOMES.c.id.in_(some)).values(csv_state=state.value))

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[Connection]:
        """A connection inside one transaction, which ends with the block.

        Args:
            writes: it will write, and so waits its turn at once instead of midway. No signal interrupts it.
        """
        try:
            with (
                self._engine.connect().execution_options(**{WRITES: writes}) as connection,
                uninterrupted() if writes else nullcontext(),
                connection.begin(),
            ):
                yield connection
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            raise unavailable(self._engine, error) from error


def table_name(path: Path) -> str:
    """A cost table's name in the ledger: its absolute path, in characters that every database takes."""
    return os.fsencode(path.absolute()).decode("utf-8", "backslashreplace")


_COST_COLUMNS: Final = (
    "id",
    "csv_state",
    "started_at",
    "run_id",
    "ticket_id",
    "status",
    "tester",
    "cost_nanousd",
    "duration_s",
    "claims_total",
    "claims_refuted",
    "strength",
    "cost_known",
    "models",
    "input_tokens",
    "output_tokens",
)


# Made once: SQLAlchemy takes longer to make a statement than SQLite to carry it out.
_SAME_OUTCOME: Final = select(OUTCOMES.c.id).where(
    OUTCOMES.c.run_id == bindparam("run_id"),
    OUTCOMES.c.ticket_id == bindparam("ticket_id"),
    OUTCOMES.c.attempt == bindparam("attempt"),
)
_SAME_RUN: Final = select(RUNS.c.run_id).where(RUNS.c.run_id == bindparam("run_id"))
_NEW_RUN: Final = insert(RUNS)
_NEW_OUTCOME: Final = insert(OUTCOMES).returning(OUTCOMES.c.id)
_NEW_CHILDREN: Final = tuple(
    (table, insert(table)) for table in (CLAIMS, FAILURES, SANDBOX_RUNS, CONFIRMATIONS, REVIEWS)
)


def _insert(connection: Connection, new: rows.OutcomeRows) -> bool:
    key = {name: new.outcome[name] for name in ("run_id", "ticket_id", "attempt")}
    if connection.scalar(_SAME_OUTCOME, key) is not None:
        return False
    if connection.scalar(_SAME_RUN, {"run_id": key["run_id"]}) is None:
        connection.execute(_NEW_RUN, new.run)
    outcome_id = connection.execute(_NEW_OUTCOME, new.outcome).scalar_one()
    for table, statement in _NEW_CHILDREN:
        children = [{**child, "outcome_id": outcome_id} for child in new.children[table.name]]
        if children:
            connection.execute(statement, children)
    return True
