"""How strong the attack was, in the outcome's own row; outcomes from before have none."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column."""
    op.add_column("outcomes", sa.Column("strength", sa.Float))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("outcomes", "strength")
