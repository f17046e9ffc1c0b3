"""What models were asked, and the audit log's head at the verdict, in the outcome's own row; earlier ones have none."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

COLUMNS = (
    ("models", sa.Text),
    ("input_tokens", sa.BigInteger),
    ("output_tokens", sa.BigInteger),
    ("audit_log", sa.Text),
    ("audit_sequence", sa.BigInteger),
    ("audit_hash", sa.String(64)),
)


def upgrade() -> None:
    """Make the columns."""
    for name, kind in COLUMNS:
        op.add_column("outcomes", sa.Column(name, kind))


def downgrade() -> None:
    """Remove them."""
    for name, _ in reversed(COLUMNS):
        op.drop_column("outcomes", name)
