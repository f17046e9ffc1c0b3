"""Tests by category and verdict, counted for the outcomes that are there; an index that reports are made from."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

FETCHED_AT_ONCE = 500
REPORT_COLUMNS = [
    *("started_at", "status", "tester", "cost_nanousd", "duration_s"),
    *("claims_total", "claims_refuted", "labels", "ticket_id"),
]


def upgrade() -> None:
    """Make the table, fill it from the documents, make the index."""
    counts = op.create_table(
        "test_counts",
        sa.Column("outcome_id", sa.Integer, nullable=False),
        sa.Column("category", sa.String(20), nullable=False),
        sa.Column("verdict", sa.String(20), nullable=False),
        sa.Column("tests", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("outcome_id", "category", "verdict", name="pk_test_counts"),
        sa.ForeignKeyConstraint(["outcome_id"], ["outcomes.id"], name="fk_test_counts_outcome_id"),
    )
    for rows in _counted():
        op.bulk_insert(counts, rows)
    if op.get_bind().dialect.name == "sqlite":
        op.create_index("ix_outcomes_report", "outcomes", REPORT_COLUMNS)


def downgrade() -> None:
    """Remove both."""
    if op.get_bind().dialect.name == "sqlite":
        op.drop_index("ix_outcomes_report", "outcomes")
    op.drop_table("test_counts")


def _counted() -> Iterator[list[dict[str, Any]]]:
    outcomes = sa.table("outcomes", sa.column("id", sa.Integer), sa.column("document", sa.Text))
    last = 0
    while True:
        query = sa.select(outcomes).where(outcomes.c.id > last).order_by(outcomes.c.id).limit(FETCHED_AT_ONCE)
        found = op.get_bind().execute(query).all()
        if not found:
            return
        last = found[-1].id
        yield [row for outcome_id, document in found for row in _rows(outcome_id, document)]


def _rows(outcome_id: int, document: str) -> list[dict[str, Any]]:
    counts = Counter((test["category"], test["verdict"] or "rejected") for test in json.loads(document)["tests"])
    return [{"outcome_id": outcome_id, "category": c, "verdict": v, "tests": n} for (c, v), n in counts.items()]
