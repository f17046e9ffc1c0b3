"""Who works on a batch's ticket is Prefect's to know, and whether it is finished its outcome's."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Remove the columns."""
    for name in ("owner", "lease_until", "finished"):
        op.drop_column("batch_tickets", name)


def downgrade() -> None:
    """Make them, and work out what is finished."""
    op.add_column("batch_tickets", sa.Column("owner", sa.String(200)))
    op.add_column("batch_tickets", sa.Column("lease_until", sa.DateTime(timezone=True)))
    op.add_column("batch_tickets", sa.Column("finished", sa.Boolean, nullable=False, server_default=sa.false()))
    same = "outcomes.run_id = batch_tickets.batch_id AND outcomes.ticket_id = batch_tickets.ticket_id"
    op.execute(f"UPDATE batch_tickets SET finished = EXISTS (SELECT 1 FROM outcomes WHERE {same})")  # noqa: S608  # fixed
