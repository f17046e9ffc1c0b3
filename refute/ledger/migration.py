"""Brings a database to the current schema: a new one at once, an older one by Alembic's revisions in this package."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from refute.ledger.schema import METADATA

SCRIPTS = Path(__file__).parent / "migrations"


def alembic_config(connection: Connection | None = None) -> Config:
    """Alembic's configuration for the ledger; needs no ini file."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def migrate(connection: Connection) -> None:
    """Make all tables, or apply every revision that is missing, inside the connection's transaction: all or nothing."""
    if MigrationContext.configure(connection).get_current_revision() is None:
        METADATA.create_all(connection)
        command.stamp(alembic_config(connection), "head")
    else:
        command.upgrade(alembic_config(connection), "head")
