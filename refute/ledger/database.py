"""The ledger's database: SQLite in WAL mode by default, any other of SQLAlchemy by URL; its schema kept current."""

import functools
import os
import sqlite3
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    NoSuchModuleError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
)

from refute.errors import LedgerUnavailable, SettingsInvalid
from refute.ledger.schema import HEAD, OLDEST
from refute.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")
BUSY_TIMEOUT_S: Final = 120
"""A writer whose disk stalls keeps the others waiting (30 s were seen): rather late than an outcome that is lost."""
SIDE_FILES: Final = ("-wal", "-shm")
"""Suffixes of the files that SQLite keeps beside the database."""
TURN_POLL_S: Final = 0.003
"""How often a writer looks whether it is its turn; a transaction takes 2 to 10 ms, most of it the disk's."""
FILE_HINT: Final = (
    "Check that it can be written and that the disk is not full. A damaged file can be moved away; outcome.json of "
    "every run stays in the state directory."
)
SERVER_HINT: Final = (
    "Look whether the database of REFUTE_LEDGER_URL answers and has room; what it has recorded is kept, and "
    "outcome.json of every run stays in the state directory."
)
MIGRATION_TIMEOUT_S: Final = 120
MIGRATION_LOCK: Final = 0x5E_F0_7D
"""Number of PostgreSQL's advisory lock under which one of several machines migrates."""
RETRY_AFTER_S: Final = 2.0
"""Before an idempotent transaction is tried again on a server: by then one that restarts mostly answers."""
WRITES: Final = "refute_writes"
"""Execution option of a connection that will write: it takes SQLite's write lock at once, not midway."""


def open_database(settings: Settings) -> Engine:
    """Connect, and bring the tables up to this version where they are behind.

    Raises:
        SettingsInvalid: `ledger_url` is no URL of a known database.
        LedgerUnavailable: the database does not answer, cannot be written, or is of a newer refute.
    """
    url = database_url(settings)
    try:
        settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        # A server may have ended a connection that lay idle: whoever takes one out asks first (0.07 ms, measured).
        engine = create_engine(url, pool_pre_ping=url.get_backend_name() != "sqlite")
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise SettingsInvalid(
            f"ledger_url: {url.render_as_string(hide_password=True)}: {error}",
            hint="Install the database's driver, or unset REFUTE_LEDGER_URL to use SQLite in the state directory.",
        ) from error
    except OSError as error:
        raise LedgerUnavailable(
            f"ledger: cannot make {settings.state_dir}: {error.strerror}",
            hint="Make it writable, or set REFUTE_STATE_DIR to another directory.",
        ) from error
    if engine.dialect.name == "sqlite":
        _make_file(engine)
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    try:
        _make_current(engine, settings.state_dir)
    except (SQLAlchemyError, sqlite3.Error, OSError, Timeout) as error:
        raise unavailable(engine, error) from error
    return engine


def database_url(settings: Settings) -> URL:
    """The ledger's URL; by default a file in the state directory.

    Raises:
        SettingsInvalid: `ledger_url` is no URL.
    """
    if settings.ledger_url is None:
        return URL.create("sqlite", database=str(settings.state_dir / "ledger.db"))
    try:
        return make_url(settings.ledger_url.get_secret_value())
    except ArgumentError as error:
        raise SettingsInvalid(
            "ledger_url: got no URL, expected one such as postgresql+psycopg://user@host/refute",
            hint="Correct REFUTE_LEDGER_URL.",
        ) from error


def unavailable(engine: Engine, error: Exception) -> LedgerUnavailable:
    """What to tell a person about a failure of the database."""
    cause = error.__cause__ if isinstance(error, SQLAlchemyError) and error.__cause__ else error
    return LedgerUnavailable(
        f"ledger {_shown(engine)}: {cause}",
        hint=_of_another_user(engine) or (FILE_HINT if engine.dialect.name == "sqlite" else SERVER_HINT),
    )


def idempotent(method: Callable[P, R]) -> Callable[P, R]:
    """Run a method of the ledger once more where the connection to the server was lost midway.

    Whether its transaction was committed cannot be known then, so only for what does nothing the second time.
    """

    @functools.wraps(method)
    def run(*args: P.args, **options: P.kwargs) -> R:
        try:
            return method(*args, **options)
        except LedgerUnavailable as error:
            if not _may_pass(error.__cause__):
                raise
        time.sleep(RETRY_AFTER_S)
        return method(*args, **options)

    return run


def _may_pass(cause: BaseException | None) -> bool:
    """Whether a server is to blame (it ended the connection, restarts, found a deadlock); SQLite has waited already."""
    if not isinstance(cause, DBAPIError) or isinstance(cause.orig, sqlite3.Error):
        return False
    return cause.connection_invalidated or isinstance(cause, OperationalError)


def _sqlite_file(engine: Engine) -> Path | None:
    """The file of an SQLite ledger; None of one in memory and of other databases."""
    name = engine.url.database
    plain = engine.dialect.name == "sqlite" and name and name != ":memory:" and not name.startswith("file:")
    return Path(name) if plain and name else None


def _of_another_user(engine: Engine) -> str:
    """What to do where files of the ledger are another user's; empty where they are not."""
    file = _sqlite_file(engine)
    if file is None:
        return ""
    files = [file, *(file.with_name(file.name + suffix) for suffix in SIDE_FILES)]
    theirs = [one for one in files if one.exists() and not os.access(one, os.W_OK) and one.stat().st_uid != os.getuid()]
    if not theirs:
        return ""
    names = ", ".join(f"{one.name} (of user {one.stat().st_uid})" for one in theirs)
    return (
        f"This is user {os.getuid()}, who may not write {names}. Users of one machine share a ledger in a directory of "
        f"their common group (chmod 2770 {file.parent}; chmod g+w {file}*), of several machines on PostgreSQL."
    )


def _make_file(engine: Engine) -> None:
    """Make a new SQLite file one that the group may write where its directory is the group's (2770).

    SQLite itself never does. The files beside it, which whoever comes first makes, take its rights over.
    """
    file = _sqlite_file(engine)
    try:
        if file is None or file.exists():
            return
        shared = file.parent.stat().st_mode
        if not (shared & stat.S_ISGID and shared & stat.S_IWGRP):
            return
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.fchmod(descriptor, 0o660)
        finally:
            os.close(descriptor)
    except OSError:  # another process was quicker, or the database will say what is wrong
        return


def revision(connection: Connection) -> str | None:
    """The schema's revision; None for an empty database."""
    try:
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    except (OperationalError, ProgrammingError) as error:
        if "alembic_version" in str(error.orig):
            return None
        raise


def _make_current(engine: Engine, locks: Path) -> None:
    """Migrate where needed. Quick where not: Alembic is imported only to migrate."""
    with engine.connect() as connection:
        found = revision(connection)
    if found == HEAD:
        return
    with FileLock(locks / "ledger.migration.lock", timeout=MIGRATION_TIMEOUT_S):
        with engine.connect() as connection:
            found = revision(connection)
        if found == HEAD:
            return
        if found is not None and found > HEAD:
            raise LedgerUnavailable(
                f"ledger {_shown(engine)}: got schema {found}, expected {HEAD} at most",
                hint="A newer refute wrote it. Upgrade this one, or set REFUTE_LEDGER_URL to another ledger.",
            )
        if found is not None and found < OLDEST:
            raise LedgerUnavailable(
                f"ledger {_shown(engine)}: got schema {found}, expected {OLDEST} or later",
                hint="A version of refute that was never released wrote it. Move it away: a new one is made.",
            )
        if engine.dialect.name == "sqlite":
            _use_wal(engine)
        from refute.ledger.migration import migrate  # noqa: PLC0415  # Alembic takes 0.1 s to import

        with engine.connect().execution_options(**{WRITES: True}) as connection, connection.begin():
            if connection.dialect.name == "postgresql":  # the file lock only holds this machine's processes
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
            migrate(connection)


def _shown(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=True)


def _use_wal(engine: Engine) -> None:
    """Write-ahead logging is a property of the file, and can only be switched outside a transaction."""
    raw = engine.raw_connection()
    try:
        raw.cursor().execute("PRAGMA journal_mode=WAL")
    finally:
        raw.close()


def _configure_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # sqlite3 would otherwise begin on its own, and never before DDL
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_S * 1000}")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute("PRAGMA synchronous=FULL")  # an acknowledged outcome survives a power failure
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    if not writes:
        connection.exec_driver_sql("BEGIN")
        return
    _take_turn(connection)


def _take_turn(connection: Connection) -> None:
    """Begin a transaction that writes, after other writers'; raises SQLAlchemy's error after `BUSY_TIMEOUT_S`.

    SQLite's own waiting sleeps longer each time, up to 0.1 s, while the database may long be free: with many writers
    all of them may be asleep at once.
    """
    raw: Any = connection.connection.driver_connection
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    raw.execute("PRAGMA busy_timeout=0")
    try:
        while time.monotonic() < deadline:
            try:
                raw.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    break
                time.sleep(TURN_POLL_S)
            else:
                return
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        raw.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_S * 1000}")
