"""What reports add up, in the outcome's own row, also for the outcomes that are there; on SQLite an index of it."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from alembic import op

from refute.ledger.migrations.documents import rows_from_documents

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

OUTCOMES = sa.table(
    "outcomes",
    sa.column("id", sa.Integer),
    sa.column("sandbox_s", sa.Float),
    sa.column("claim_counts", sa.Text),
    sa.column("test_counts", sa.Text),
)
REPORT_COLUMNS = [
    *("started_at", "status", "tester", "labels", "claim_counts", "test_counts"),
    *("cost_nanousd", "duration_s", "sandbox_s", "ticket_id"),
]


def upgrade() -> None:
    """Make the columns, fill them from the documents, make the index."""
    op.add_column("outcomes", sa.Column("sandbox_s", sa.Float, nullable=False, server_default="0"))
    op.add_column("outcomes", sa.Column("claim_counts", sa.Text, nullable=False, server_default="{}"))
    op.add_column("outcomes", sa.Column("test_counts", sa.Text, nullable=False, server_default="{}"))
    fill = sa.update(OUTCOMES).where(OUTCOMES.c.id == sa.bindparam("key"))
    for rows in rows_from_documents(op.get_bind(), _columns):
        op.get_bind().execute(fill, rows)
    if op.get_bind().dialect.name == "sqlite":
        op.create_index("ix_outcomes_report", "outcomes", REPORT_COLUMNS)


def downgrade() -> None:
    """Remove both."""
    if op.get_bind().dialect.name == "sqlite":
        op.drop_index("ix_outcomes_report", "outcomes")
    for name in ("sandbox_s", "claim_counts", "test_counts"):
        op.drop_column("outcomes", name)


def _columns(document: dict[str, Any]) -> dict[str, Any]:
    return {
        "sandbox_s": sum(stage["sandbox_s"] for stage in document["stages"]),
        "claim_counts": _counts(claim["verdict"] for claim in document["claims"]),
        "test_counts": _counts(f"{test['category']}/{test['verdict'] or 'rejected'}" for test in document["tests"]),
    }


def _counts(kinds: Iterable[str]) -> str:
    return json.dumps(Counter(kinds), sort_keys=True)
