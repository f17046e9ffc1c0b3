"""Which cost table gets an outcome's line: runs of several working directories share a ledger, not a table."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column; lines due until now go wherever the next ones do, as before."""
    op.add_column("outcomes", sa.Column("costs_csv", sa.Text))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("outcomes", "costs_csv")
