"""Who was told of which alert."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "alerts",
        sa.Column("channel", sa.String(200), nullable=False),
        sa.Column("period", sa.String(100), nullable=False),
        sa.Column("alert", sa.String(100), nullable=False),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("channel", "period", "alert", name="pk_alerts"),
    )


def downgrade() -> None:
    """Remove it."""
    op.drop_table("alerts")
