"""The same typed data frames, read from the ledger or made from outcomes (which Prefect's artifacts hold too).

Rows are ordered by start, run, ticket and attempt; `outcome` in the other frames is the position in `outcomes`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

import pandas as pd
from sqlalchemy import Column, Connection, Float, Integer, Table, select

from refute.ledger import rows
from refute.ledger.column_types import NANODOLLARS, Instant, Usd
from refute.ledger.schema import CLAIMS, CONFIRMATIONS, FAILURES, OUTCOMES, SANDBOX_RUNS
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


OUTCOME_COLUMNS: Final = columns_of(OUTCOMES)
_CHILDREN: Final[dict[str, tuple[Table, Callable[[Outcome], list[rows.Row]]]]] = {
    "claims": (CLAIMS, rows.claim_rows),
    "failures": (FAILURES, rows.failure_rows),
    "sandbox_runs": (SANDBOX_RUNS, rows.sandbox_rows),
    "confirmations": (CONFIRMATIONS, rows.confirmation_rows),
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


def frames_from_ledger(ledger: Ledger, scope: Scope | None = None) -> Frames:
    """Everything about the outcomes of a scope, down to single claims; `reports.facts` adds up millions.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    chosen = scope or Scope()
    with ledger.transaction() as connection:
        columns = [OUTCOMES.c.id, *(OUTCOMES.c[name] for name in OUTCOME_COLUMNS)]
        query = select(*bare(columns)).where(*chosen.conditions())
        found = typed(
            ["id", *OUTCOME_COLUMNS], chunks(connection, query), {"id": "int64", **OUTCOME_COLUMNS}
        ).sort_values(KEY, ignore_index=True, kind="stable")
        places = pd.Series(found.index, index=found.pop("id"), dtype="int64")
        children = {name: _child(connection, chosen, places, table) for name, (table, _) in _CHILDREN.items()}
    return Frames(outcomes=found, **children)


def frames_from_outcomes(outcomes: Iterable[Outcome]) -> Frames:
    """The same frames of outcomes that lie elsewhere."""
    ordered = sorted(outcomes, key=lambda one: (one.started_at, one.run_id, one.ticket_id, one.attempt))
    children = {}
    for name, (table, make) in _CHILDREN.items():
        made = ({"outcome": n, **row} for n, one in enumerate(ordered) for row in make(one))
        children[name] = _from_rows(made, {"outcome": "int64", **columns_of(table)})
    return Frames(outcomes=_from_rows(map(_outcome_row, ordered), OUTCOME_COLUMNS), **children)


def _outcome_row(outcome: Outcome) -> rows.Row:
    known = outcome.cost_usd or Decimal(0)
    nanodollars = (known * NANODOLLARS).to_integral_value(ROUND_HALF_EVEN)  # as the ledger rounds
    return {**rows.outcome_row(outcome), "cost_nanousd": int(nanodollars)}


def _from_rows(made: Iterable[rows.Row], columns: Columns) -> pd.DataFrame:
    return typed(list(columns), [[tuple(row[name] for name in columns) for row in made]], columns)


def _child(connection: Connection, scope: Scope, places: "pd.Series[int]", table: Table) -> pd.DataFrame:
    """A table's rows of the outcomes in scope, in their order."""
    columns = columns_of(table)
    query = select(table.c.outcome_id, *bare(table.c[name] for name in columns))
    if not scope.is_everything:
        query = query.where(table.c.outcome_id.in_(select(OUTCOMES.c.id).where(*scope.conditions())))
    found = typed(["outcome", *columns], chunks(connection, query), {"outcome": "int64", **columns})
    found["outcome"] = found["outcome"].map(places).astype("int64")
    return found.sort_values(["outcome", "position"], ignore_index=True)
