"""Batches and their tickets, with who works on them."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "batches",
        sa.Column("batch_id", sa.String(100), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("batch_id", name="pk_batches"),
    )
    op.create_index("ix_batches_created_at", "batches", ["created_at"])
    op.create_table(
        "batch_tickets",
        sa.Column("batch_id", sa.String(100), nullable=False),
        sa.Column("position", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("ticket_id", sa.String(64), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("answer", sa.String(10), nullable=False),
        sa.Column("answered_by", sa.String(200), nullable=False),
        sa.Column("digest", sa.String(80)),
        sa.Column("owner", sa.String(200)),
        sa.Column("lease_until", sa.DateTime(timezone=True)),
        sa.Column("finished", sa.Boolean, nullable=False),
        sa.ForeignKeyConstraint(["batch_id"], ["batches.batch_id"], name="fk_batch_tickets_batch_id_batches"),
        sa.PrimaryKeyConstraint("batch_id", "position", name="pk_batch_tickets"),
        sa.UniqueConstraint("batch_id", "ticket_id", name="uq_batch_tickets_batch_id_ticket_id"),
    )


def downgrade() -> None:
    """Remove them, children first."""
    op.drop_table("batch_tickets")
    op.drop_table("batches")
