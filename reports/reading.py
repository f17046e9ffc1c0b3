"""Reads the ledger's tables in chunks, past the conversions that would cost seconds a million rows."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, String, func, type_coerce

from refute.ledger.schema import Instant, Usd

ROWS_AT_ONCE: Final = 50_000


def bare(columns: Iterable[Any]) -> list[ColumnElement[Any]]:
    """Columns as the database holds them: whole nanodollars, and moments that pandas reads many at a time."""
    return [_bare(column) for column in columns]


def chunks(connection: Connection, query: Select[Any]) -> Iterator[Sequence[Sequence[Any]]]:
    """The rows of a query, some at a time.

    SQLite's come straight from its driver, as SQLAlchemy's own rows take half as long again; other drivers would
    hold all of them in memory.
    """
    if connection.dialect.name != "sqlite":
        yield from connection.execution_options(stream_results=True).execute(query).partitions(ROWS_AT_ONCE)
        return
    with connection.execute(query) as result:
        while rows := result.cursor.fetchmany(ROWS_AT_ONCE):
            yield rows


def utc_day(connection: Connection, column: Any) -> ColumnElement[str]:
    """The day of a moment in UTC, `2026-11-22`."""
    if connection.dialect.name == "postgresql":
        return func.to_char(func.timezone("UTC", column), "YYYY-MM-DD", type_=String)
    return func.substr(type_coerce(column, String), 1, 10, type_=String)


def _bare(column: Any) -> ColumnElement[Any]:
    match column.type:
        case Usd():
            return type_coerce(column, BigInteger).label(column.key)
        case Instant():
            return type_coerce(column, String).label(column.key)
        case _:
            return column  # type: ignore[no-any-return]  # what SQLAlchemy has no better type for
