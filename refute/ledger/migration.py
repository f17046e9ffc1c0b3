"""Brings a database to the current schema with Alembic, whose revisions ship inside the package."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

SCRIPTS = Path(__file__).parent / "migrations"


def alembic_config(connection: Connection | None = None) -> Config:
    """Alembic's configuration for the ledger; needs no ini file."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def migrate(connection: Connection) -> None:
    """Apply every revision that is missing, inside the connection's transaction: all or nothing."""
    command.upgrade(alembic_config(connection), "head")
