"""Changes of a WAF that wait for their operator's confirmation."""

from alembic import op

from refute.ledger.schema import CONVERSATIONS

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    CONVERSATIONS.create(op.get_bind())
