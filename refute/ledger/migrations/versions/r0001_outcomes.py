"""Runs, outcomes, claims, failures and sandbox runs.

A revision never changes once it was released, so it spells out the tables instead of importing them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    _make_runs()
    _make_outcomes()
    _make_claims()
    _make_failures()
    _make_sandbox_runs()


def downgrade() -> None:
    """Remove them, children first."""
    for table in ("sandbox_runs", "failures", "claims", "outcomes", "runs"):
        op.drop_table(table)


def _make_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(100), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("refute_version", sa.String(50), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_runs"),
    )


def _make_outcomes() -> None:
    op.create_table(
        "outcomes",
        sa.Column("id", sa.Integer, nullable=False, autoincrement=True),
        sa.Column("run_id", sa.String(100), nullable=False),
        sa.Column("ticket_id", sa.String(64), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("status", sa.String(40), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("duration_s", sa.Float, nullable=False),
        sa.Column("cost_nanousd", sa.BigInteger, nullable=False),
        sa.Column("tester", sa.String(100), nullable=False),
        sa.Column("claims_total", sa.Integer, nullable=False),
        sa.Column("claims_refuted", sa.Integer, nullable=False),
        sa.Column("snapshot_digest", sa.String(80)),
        sa.Column("image_id", sa.String(80)),
        sa.Column("profile_digest", sa.String(80)),
        sa.Column("labels", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("csv_state", sa.String(10), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_outcomes"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_outcomes_run_id"),
        sa.UniqueConstraint("run_id", "ticket_id", "attempt", name="uq_outcomes_run_id_ticket_id_attempt"),
    )
    for column in ("ticket_id", "started_at", "csv_state"):
        op.create_index(f"ix_outcomes_{column}", "outcomes", [column])


def _make_claims() -> None:
    op.create_table(
        "claims",
        sa.Column("outcome_id", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("claim_id", sa.String(100), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("verdict", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("decided_by", sa.Text, nullable=False),
        sa.Column("tests_run", sa.Integer, nullable=False),
        sa.Column("independent_tests", sa.Integer, nullable=False),
        sa.Column("attested_tests", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("outcome_id", "position", name="pk_claims"),
        sa.ForeignKeyConstraint(["outcome_id"], ["outcomes.id"], name="fk_claims_outcome_id"),
    )


def _make_failures() -> None:
    op.create_table(
        "failures",
        sa.Column("outcome_id", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("test_name", sa.Text, nullable=False),
        sa.Column("claim_id", sa.String(100), nullable=False),
        sa.Column("error_type", sa.Text, nullable=False),
        sa.Column("error_message", sa.Text, nullable=False),
        sa.Column("smallest_input", sa.Text, nullable=False),
        sa.Column("tester", sa.String(100), nullable=False),
        sa.PrimaryKeyConstraint("outcome_id", "position", name="pk_failures"),
        sa.ForeignKeyConstraint(["outcome_id"], ["outcomes.id"], name="fk_failures_outcome_id"),
    )


def _make_sandbox_runs() -> None:
    op.create_table(
        "sandbox_runs",
        sa.Column("outcome_id", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("stage", sa.String(40), nullable=False),
        sa.Column("duration_s", sa.Float, nullable=False),
        sa.Column("sandbox_s", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("outcome_id", "position", name="pk_sandbox_runs"),
        sa.ForeignKeyConstraint(["outcome_id"], ["outcomes.id"], name="fk_sandbox_runs_outcome_id"),
    )
