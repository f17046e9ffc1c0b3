"""Reservations of money, and the calls to models that they paid for."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    _make_reservations()
    _make_model_calls()


def downgrade() -> None:
    """Remove them, children first."""
    op.drop_table("model_calls")
    op.drop_table("reservations")


def _make_reservations() -> None:
    op.create_table(
        "reservations",
        sa.Column("id", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("run_id", sa.String(100), nullable=False),
        sa.Column("ticket_id", sa.String(64), nullable=False),
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("worst_nanousd", sa.BigInteger),
        sa.Column("cost_nanousd", sa.BigInteger),
        sa.Column("held_nanousd", sa.BigInteger, nullable=False),
        sa.Column("unreconciled", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reservations"),
    )
    op.create_index("ix_reservations_run_id_ticket_id", "reservations", ["run_id", "ticket_id"])
    op.create_index("ix_reservations_month_day", "reservations", ["month", "day"])
    op.create_index("ix_reservations_state", "reservations", ["state"])


def _make_model_calls() -> None:
    op.create_table(
        "model_calls",
        sa.Column("reservation_id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.String(100), nullable=False),
        sa.Column("ticket_id", sa.String(64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("purpose", sa.String(100), nullable=False),
        sa.Column("tier", sa.String(10), nullable=False),
        sa.Column("model", sa.String(100), nullable=False),
        sa.Column("prompt_digest", sa.String(64), nullable=False),
        sa.Column("data_class", sa.String(20), nullable=False),
        sa.Column("ending", sa.String(20), nullable=False),
        sa.Column("input_tokens", sa.Integer, nullable=False),
        sa.Column("cached_tokens", sa.Integer, nullable=False),
        sa.Column("output_tokens", sa.Integer, nullable=False),
        sa.Column("thinking_tokens", sa.Integer, nullable=False),
        sa.Column("cost_nanousd", sa.BigInteger),
        sa.Column("latency_s", sa.Float, nullable=False),
        sa.ForeignKeyConstraint(
            ["reservation_id"], ["reservations.id"], name="fk_model_calls_reservation_id_reservations"
        ),
        sa.PrimaryKeyConstraint("reservation_id", name="pk_model_calls"),
    )
    op.create_index("ix_model_calls_run_id_ticket_id", "model_calls", ["run_id", "ticket_id"])
    op.create_index("ix_model_calls_at", "model_calls", ["at"])
