"""The same typed data frames, read from the ledger or made from outcomes (which Prefect's artifacts hold too).

Rows are ordered by start, run, ticket and attempt; `outcome` in the other frames is the position in `outcomes`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

import pandas as pd
from sqlalchemy import Connection, Table, select

from refute.ledger import rows
from refute.ledger.schema import CLAIMS, CONFIRMATIONS, FAILURES, NANODOLLARS, OUTCOMES, SANDBOX_RUNS
from refute.ledger.store import Ledger
from refute.outcome import Outcome
from reports.columns import ANSWER, CATEGORY, MOMENT, STATUS, VERDICT, Columns, typed
from reports.reading import bare, chunks
from reports.scope import Scope

KEY: Final = ["started_at", "run_id", "ticket_id", "attempt"]

OUTCOME_COLUMNS: Final[Columns] = {
    "run_id": "str",
    "ticket_id": "str",
    "attempt": "int64",
    "title": "str",
    "status": STATUS,
    "reason": "str",
    "started_at": MOMENT,
    "duration_s": "float64",
    "cost_nanousd": "int64",
    "tester": CATEGORY,
    "claims_total": "int64",
    "claims_refuted": "int64",
    "snapshot_digest": "str",
    "image_id": "str",
    "profile_digest": "str",
    "labels": CATEGORY,
    "sandbox_s": "float64",
    "claim_counts": CATEGORY,
    "test_counts": CATEGORY,
    "strength": "float64",
    "mutants_killed": "Int64",
    "mutants_counted": "Int64",
    "tiers": CATEGORY,
}
CLAIM_COLUMNS: Final[Columns] = {
    "position": "int64",
    "claim_id": "str",
    "text": "str",
    "verdict": VERDICT,
    "reason": "str",
    "decided_by": "str",
    "tests_run": "int64",
    "independent_tests": "int64",
    "attested_tests": "int64",
}
FAILURE_COLUMNS: Final[Columns] = {
    "position": "int64",
    "test_name": "str",
    "claim_id": "str",
    "error_type": "str",
    "error_message": "str",
    "smallest_input": "str",
    "tester": CATEGORY,
}
SANDBOX_COLUMNS: Final[Columns] = {
    "position": "int64",
    "stage": CATEGORY,
    "duration_s": "float64",
    "sandbox_s": "float64",
}
CONFIRMATION_COLUMNS: Final[Columns] = {
    "position": "int64",
    "answer": ANSWER,
    "answered_by": CATEGORY,
    "note": "str",
    "asked_at": MOMENT,
    "answered_at": MOMENT,
    "snapshot_digest": "str",
    "findings": CATEGORY,
}

_CHILDREN: Final[dict[str, tuple[Table, Columns, Callable[[Outcome], list[rows.Row]]]]] = {
    "claims": (CLAIMS, CLAIM_COLUMNS, rows.claim_rows),
    "failures": (FAILURES, FAILURE_COLUMNS, rows.failure_rows),
    "sandbox_runs": (SANDBOX_RUNS, SANDBOX_COLUMNS, rows.sandbox_rows),
    "confirmations": (CONFIRMATIONS, CONFIRMATION_COLUMNS, rows.confirmation_rows),
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
        children = {name: _child(connection, chosen, places, *_CHILDREN[name][:2]) for name in _CHILDREN}
    return Frames(outcomes=found, **children)


def frames_from_outcomes(outcomes: Iterable[Outcome]) -> Frames:
    """The same frames of outcomes that lie elsewhere."""
    ordered = sorted(outcomes, key=lambda one: (one.started_at, one.run_id, one.ticket_id, one.attempt))
    children = {}
    for name, (_, columns, make) in _CHILDREN.items():
        made = ({"outcome": n, **row} for n, one in enumerate(ordered) for row in make(one))
        children[name] = _from_rows(made, {"outcome": "int64", **columns})
    return Frames(outcomes=_from_rows(map(_outcome_row, ordered), OUTCOME_COLUMNS), **children)


def differences(left: Frames, right: Frames) -> Iterator[str]:
    """The names of the frames that are not equal."""
    for field in fields(Frames):
        if not getattr(left, field.name).equals(getattr(right, field.name)):
            yield field.name


def _outcome_row(outcome: Outcome) -> rows.Row:
    known = outcome.cost_usd or Decimal(0)
    nanodollars = (known * NANODOLLARS).to_integral_value(ROUND_HALF_EVEN)  # as the ledger rounds
    return {**rows.outcome_row(outcome), "cost_nanousd": int(nanodollars)}


def _from_rows(made: Iterable[rows.Row], columns: Columns) -> pd.DataFrame:
    return typed(list(columns), [[tuple(row[name] for name in columns) for row in made]], columns)


def _child(
    connection: Connection, scope: Scope, places: "pd.Series[int]", table: Table, columns: Columns
) -> pd.DataFrame:
    """A table's rows of the outcomes in scope, in their order."""
    query = select(table.c.outcome_id, *bare(table.c[name] for name in columns))
    if not scope.is_everything:
        query = query.where(table.c.outcome_id.in_(select(OUTCOMES.c.id).where(*scope.conditions())))
    found = typed(["outcome", *columns], chunks(connection, query), {"outcome": "int64", **columns})
    found["outcome"] = found["outcome"].map(places).astype("int64")
    return found.sort_values(["outcome", "position"], ignore_index=True)
