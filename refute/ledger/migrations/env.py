"""Alembic's entry: runs revisions on the connection that `refute.ledger.migration` hands over."""

from alembic import context

from refute.ledger.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite cannot alter tables in place
)
with context.begin_transaction():
    context.run_migrations()
