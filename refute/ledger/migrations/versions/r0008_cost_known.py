"""Whether all that an outcome cost is known: a model without a price may have been asked; earlier outcomes know."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column."""
    op.add_column("outcomes", sa.Column("cost_known", sa.Boolean, nullable=False, server_default=sa.true()))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("outcomes", "cost_known")
