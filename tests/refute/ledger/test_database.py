"""Connecting: migrations run once and all or nothing; a current ledger opens quickly; wrong URLs are explained."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from pydantic import SecretStr
from sqlalchemy import text

from refute.errors import LedgerUnavailable, SettingsInvalid
from refute.ledger import database, migration
from refute.ledger.database import WRITES, open_database, revision
from refute.ledger.schema import HEAD, METADATA, OLDEST
from refute.settings import Settings

pytestmark = pytest.mark.usefixtures("migrated_here")


def older(settings: Settings, version: str) -> None:
    """A ledger as an earlier version of refute left it."""
    with open_database(settings).connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        for table in ("reviews", "conversations"):
            connection.execute(text(f"DROP TABLE {table}"))
        connection.execute(text("ALTER TABLE batch_tickets ADD owner VARCHAR(200)"))
        connection.execute(text("ALTER TABLE batch_tickets ADD lease_until TIMESTAMP"))
        connection.execute(text("ALTER TABLE batch_tickets ADD finished BOOLEAN DEFAULT FALSE NOT NULL"))
        connection.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})


def test_an_older_ledger_becomes_one_of_the_schema(settings: Settings) -> None:
    older(settings, OLDEST)
    with open_database(settings).connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert [thing.name for _, thing in compare_metadata(context, METADATA)] in ([], ["ix_outcomes_report"])
        assert revision(connection) == HEAD


def test_a_ledger_of_before_the_first_release_is_refused_with_what_to_do(settings: Settings) -> None:
    older(settings, "0007")
    with pytest.raises(LedgerUnavailable, match=f"got schema 0007, expected {OLDEST} or later") as told:
        open_database(settings)
    assert "Move it away" in told.value.hint


def test_the_last_migration_is_the_one_that_the_code_expects() -> None:
    assert ScriptDirectory.from_config(migration.alembic_config()).get_heads() == [HEAD]


def test_sqlite_is_in_wal_mode_and_waits_for_other_writers(settings: Settings) -> None:
    with open_database(settings).connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == database.BUSY_TIMEOUT_S * 1000
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


@pytest.mark.slow
def test_a_current_ledger_opens_without_alembic(settings: Settings) -> None:
    open_database(settings).dispose()
    program = (
        "import sys; from pathlib import Path; from refute.ledger.store import Ledger; "
        "from refute.settings import Settings; Ledger.open(Settings(state_dir=Path(sys.argv[1]))); "
        "print('alembic' in sys.modules)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program, str(settings.state_dir)], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "False"


def test_a_migration_that_fails_midway_leaves_an_empty_database(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = migration.migrate

    def half(connection: object) -> None:
        whole(connection)  # type: ignore[arg-type]
        raise OSError("killed")

    monkeypatch.setattr(migration, "migrate", half)
    with pytest.raises(LedgerUnavailable, match="killed"):
        open_database(settings)
    monkeypatch.undo()
    with open_database(settings).connect() as connection:
        assert revision(connection) == HEAD


def test_a_disk_that_is_full_is_told_with_what_to_do(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")  # past SQLAlchemy, which would wrap it

    monkeypatch.setattr(database, "_use_wal", full)
    with pytest.raises(LedgerUnavailable, match="disk is full") as told:
        open_database(settings)
    assert "can be written" in told.value.hint


def test_a_ledger_of_a_newer_refute_is_left_alone(settings: Settings) -> None:
    engine = open_database(settings)
    with engine.connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(LedgerUnavailable, match=f"got schema 9999, expected {HEAD} at most"):
        open_database(settings)


@pytest.mark.parametrize(
    ("url", "message"), [("nonsense", "got no URL"), ("nosuchdb://h/x", "nosuchdb"), ("oracle://h/x", "oracledb|cx_")]
)
def test_a_wrong_url_is_a_fault_of_the_settings(settings: Settings, url: str, message: str) -> None:
    with pytest.raises(SettingsInvalid, match=message):
        open_database(settings.model_copy(update={"ledger_url": SecretStr(url)}))


@pytest.mark.parametrize(("directory", "rights"), [(0o2770, 0o660), (0o777, 0o644), (0o700, 0o644)])
def test_in_a_directory_of_a_group_the_group_may_write_the_ledger_and_elsewhere_nobody_else(
    tmp_path: Path, directory: int, rights: int
) -> None:
    place = tmp_path / "shared"
    place.mkdir()
    place.chmod(directory)
    umask = os.umask(0o022)
    try:
        engine = open_database(Settings(state_dir=tmp_path, ledger_url=SecretStr(f"sqlite:///{place}/ledger.db")))
        with engine.connect() as connection:
            connection.execute(text("SELECT 1"))
            modes = {file.name: file.stat().st_mode & 0o777 for file in place.iterdir()}
    finally:
        os.umask(umask)
    assert set(modes.values()) == {rights}, modes


def test_a_ledger_of_another_user_is_told_with_whose_it_is_and_how_to_share_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_database(settings)
    monkeypatch.setattr(database.os, "access", lambda path, _: path.suffix == ".db-wal")
    monkeypatch.setattr(database.os, "getuid", lambda: 4002)
    told = database.unavailable(engine, sqlite3.OperationalError("attempt to write a readonly database"))
    assert "This is user 4002, who may not write ledger.db (of user" in told.hint
    assert "chmod g+w" in told.hint
    assert "PostgreSQL" in told.hint
