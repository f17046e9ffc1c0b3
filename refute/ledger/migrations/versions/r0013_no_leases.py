"""Who works on a batch's ticket is Prefect's to know, and whether it is finished its outcome's."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Remove the columns."""
    for name in ("owner", "lease_until", "finished"):
        op.drop_column("batch_tickets", name)
