"""Aggregated tables as artifacts of the run that is going on: of a batch, or of everything every hour."""

from datetime import UTC, datetime
from typing import Final

from prefect.artifacts import create_table_artifact

from refute.ledger.store import Ledger
from reports.aggregate import Tables, tables
from reports.document import table_rows
from reports.facts import read_facts
from reports.report import saved_by_cache_usd
from reports.scope import Scope

SHOWN: Final = ("by_status", "by_tester", "by_label", "by_category", "by_model", "by_day")


def leave_tables(prefix: str, made: Tables, *, description: str) -> None:
    """Leave each table that has rows, as `<prefix>-by-status` and so on.

    Args:
        prefix: of the artifacts' keys.
        made: the tables.
        description: of each artifact.
    """
    for name in SHOWN:
        rows = table_rows(made[name])
        if rows:
            create_table_artifact(key=f"{prefix}-{name.replace('_', '-')}", table=rows, description=description)


def leave_batch_tables(ledger: Ledger, batch_id: str) -> None:
    """The tables of one batch's outcomes, by whichever process.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    facts = read_facts(ledger, Scope(run_ids=(batch_id,)), datetime.now(UTC))
    leave_tables("batch", tables(facts, saved_by_cache_usd), description=batch_id)
