"""The revisions of the ledger's schema, run by Alembic."""
