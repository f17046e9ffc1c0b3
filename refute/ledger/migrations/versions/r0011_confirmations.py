"""Who confirmed or declined what and when, in a table; for batches also since when their tickets wait.

Outcomes that are there keep what they say of it in the words of their stage `confirm`: when and by whom is not in them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
WAITS = ("asked_at", "answered_at")


def upgrade() -> None:
    """Make the table and the columns."""
    op.create_table(
        "confirmations",
        sa.Column("outcome_id", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("answer", sa.String(20), nullable=False),
        sa.Column("answered_by", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("asked_at", MOMENT),
        sa.Column("answered_at", MOMENT, nullable=False),
        sa.Column("snapshot_digest", sa.String(80), nullable=False),
        sa.Column("findings", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["outcome_id"], ["outcomes.id"], name="fk_confirmations_outcome_id"),
        sa.PrimaryKeyConstraint("outcome_id", "position", name="pk_confirmations"),
    )
    for name in WAITS:
        op.add_column("batch_tickets", sa.Column(name, MOMENT))


def downgrade() -> None:
    """Remove them."""
    for name in WAITS:
        op.drop_column("batch_tickets", name)
    op.drop_table("confirmations")
