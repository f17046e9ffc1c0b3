"""Mutants killed and counted, and the model tiers asked, in the outcome's own row, for those that are there too.

On SQLite the index that reports read gets them, the strength and the run: without it they would be read past the
documents.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from refute.ledger.migrations.documents import rows_from_documents

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

INDEX = "ix_outcomes_report"
OUTCOMES = sa.table(
    "outcomes",
    sa.column("id", sa.Integer),
    sa.column("mutants_killed", sa.Integer),
    sa.column("mutants_counted", sa.Integer),
    sa.column("tiers", sa.Text),
)
BEFORE = [
    *("started_at", "status", "tester", "labels", "claim_counts", "test_counts"),
    *("cost_nanousd", "duration_s", "sandbox_s", "ticket_id"),
]
NOW = [*BEFORE, "tiers", "strength", "mutants_killed", "mutants_counted", "run_id"]


def upgrade() -> None:
    """Make the columns, fill them from the documents, make the index anew."""
    op.add_column("outcomes", sa.Column("mutants_killed", sa.Integer))
    op.add_column("outcomes", sa.Column("mutants_counted", sa.Integer))
    op.add_column("outcomes", sa.Column("tiers", sa.Text, nullable=False, server_default=""))
    fill = sa.update(OUTCOMES).where(OUTCOMES.c.id == sa.bindparam("key"))
    for rows in rows_from_documents(op.get_bind(), _columns):
        op.get_bind().execute(fill, rows)
    _index(NOW)


def downgrade() -> None:
    """Remove them."""
    _index(BEFORE)
    for name in ("tiers", "mutants_counted", "mutants_killed"):
        op.drop_column("outcomes", name)


def _index(columns: list[str]) -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.drop_index(INDEX, "outcomes")
        op.create_index(INDEX, "outcomes", columns)


def _columns(document: dict[str, Any]) -> dict[str, Any]:
    """Earlier versions wrote neither strength nor rounds."""
    strength = document.get("strength") or {"n": 0, "void": "not measured"}
    measured = strength["n"] and not strength["void"]
    return {
        "mutants_killed": strength["killed"] if measured else None,
        "mutants_counted": strength["n"] if measured else None,
        "tiers": ", ".join(sorted({one.get("tier") or "" for one in document.get("rounds", [])} - {""})),
    }
