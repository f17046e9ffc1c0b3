"""The first revision that can be brought up to date; a new ledger is made from the schema, not from revisions."""

revision = "0012"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing: where it begins."""
