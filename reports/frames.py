"""Typed data frames of whole outcomes, from the ledger or of outcomes that lie elsewhere (in Prefect's artifacts).

Rows are ordered by start, run, ticket and attempt; `outcome` in the other frames is the position in `outcomes`.
"""

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd
from sqlalchemy import Column, Connection, Float, Integer, Table, create_engine, select

from refute.ledger.column_types import Instant, Usd
from refute.ledger.schema import CLAIMS, CONFIRMATIONS, FAILURES, METADATA, OUTCOMES, SANDBOX_RUNS
from refute.ledger.store import Ledger
from refute.outcome import Outcome
from reports.reading import ANSWER, CATEGORY, MOMENT, STATUS, VERDICT, Columns, bare, chunks, typed
from reports.scope import Scope

KEY: Final = ["started_at", "run_id", "ticket_id", "attempt"]

_ENUMS: Final = {"status": STATUS, "verdict": VERDICT, "answer": ANSWER}
_FEW: Final = frozenset(
    {"tester", "labels", "claim_counts", "test_counts", "tiers", "stage", "answered_by", "findings"}
)
"""Columns of few different texts."""
_UNREAD: Final = frozenset(
    {"id", "outcome_id", "document", "csv_state", "costs_csv", "models", "input_tokens", "output_tokens", "cost_known"}
    | {"audit_log", "audit_sequence", "audit_hash"}
)
"""Keys, and what is about the record rather than about the outcome."""


def columns_of(table: Table) -> Columns:
    """Column of a table of the ledger → how a frame types it."""
    return {column.name: _dtype(column) for column in table.columns if column.name not in _UNREAD}


def _dtype(column: Column[Any]) -> Any:
    if column.name in _ENUMS:
        return _ENUMS[column.name]
    match column.type:
        case Instant():
            return MOMENT
        case Usd():
            return "int64"
        case Float():
            return "float64"
        case Integer():
            return "Int64" if column.nullable else "int64"
        case _:
            return CATEGORY if column.name in _FEW else "str"


CHILDREN: Final = {
    "claims": CLAIMS,
    "failures": FAILURES,
    "sandbox_runs": SANDBOX_RUNS,
    "confirmations": CONFIRMATIONS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames:
    """What is known of some outcomes. Money is in nanodollars, times are in seconds, moments in UTC."""

    outcomes: pd.DataFrame
    """A row per outcome; `labels` is a JSON array, `claim_counts` and `test_counts` are JSON objects."""
    claims: pd.DataFrame
    """A row per claim."""
    failures: pd.DataFrame
    """A row per refutation."""
    sandbox_runs: pd.DataFrame
    """A row per stage that used a container."""
    confirmations: pd.DataFrame
    """A row per answer to whether a script may run; `asked_at` is NaT where it was given in advance, `findings` is a
    JSON array of what it overrode, or would have."""


def frames_from_outcomes(outcomes: Iterable[Outcome], scope: Scope | None = None) -> Frames:
    """The frames of outcomes that lie elsewhere: read as those of any ledger are, from one in memory."""
    engine = create_engine("sqlite://")
    METADATA.create_all(engine)
    with closing(Ledger(engine, locks=Path(), costs_csv=Path())) as ledger:
        for outcome in outcomes:
            ledger.record(outcome)
        return frames_from_ledger(ledger, scope)


def frames_from_ledger(ledger: Ledger, scope: Scope | None = None) -> Frames:
    """Everything about the outcomes of a scope, down to single claims; `reports.facts` adds up millions.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    chosen, columns = scope or Scope(), {"id": "int64", **columns_of(OUTCOMES)}
    with ledger.transaction() as connection:
        query = select(*bare(OUTCOMES.c[name] for name in columns)).where(*chosen.conditions())
        found = typed(list(columns), chunks(connection, query), columns)
        found = found.sort_values(KEY, ignore_index=True, kind="stable")
        places = pd.Series(found.index, index=found.pop("id"), dtype="int64")
        children = {name: _child(connection, chosen, places, table) for name, table in CHILDREN.items()}
    return Frames(outcomes=found, **children)


def _child(connection: Connection, scope: Scope, places: "pd.Series[int]", table: Table) -> pd.DataFrame:
    """A table's rows of the outcomes in scope, in their order."""
    columns: Columns = {"outcome": "int64", **columns_of(table)}
    query = select(table.c.outcome_id, *bare(table.c[name] for name in columns_of(table)))
    if not scope.is_everything:
        query = query.where(table.c.outcome_id.in_(select(OUTCOMES.c.id).where(*scope.conditions())))
    found = typed(list(columns), chunks(connection, query), columns)
    found["outcome"] = found["outcome"].map(places).astype("int64")
    return found.sort_values(["outcome", "position"], ignore_index=True)
