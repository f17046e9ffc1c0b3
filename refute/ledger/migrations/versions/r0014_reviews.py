"""What each critic said of a ticket, so that it can be counted by focus."""

from alembic import op

from refute.ledger.schema import REVIEWS

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    REVIEWS.create(op.get_bind())
