"""The models that a run called go into the index that reports read on SQLite, for runs by model and how they ended."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

INDEX = "ix_outcomes_report"
BEFORE = [
    *("started_at", "status", "tester", "labels", "claim_counts", "test_counts"),
    *("cost_nanousd", "duration_s", "sandbox_s", "ticket_id"),
    *("tiers", "strength", "mutants_killed", "mutants_counted", "run_id"),
]


def upgrade() -> None:
    """Make the index anew."""
    _index([*BEFORE, "models"])


def downgrade() -> None:
    """Make the index as it was."""
    _index(BEFORE)


def _index(columns: list[str]) -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.drop_index(INDEX, "outcomes")
        op.create_index(INDEX, "outcomes", columns)
