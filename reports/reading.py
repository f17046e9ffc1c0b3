"""Reads the ledger's tables into typed frames, past the conversions that would cost seconds a million rows.

Money stays whole nanodollars (int64, exact) in every frame; US dollars as float exist only where something is shown.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import pandas as pd
from pandas.api.types import union_categoricals
from sqlalchemy import BigInteger, ColumnElement, Connection, Select, String, func, type_coerce

from refute.approval import Answered
from refute.ledger.column_types import NANODOLLARS, Instant, Usd
from refute.outcome import ClaimVerdict, Status

ROWS_AT_ONCE: Final = 50_000
MOMENT: Final = "moment"
CATEGORY: Final = pd.CategoricalDtype()
"""One of few texts, not known beforehand."""

STATUS: Final = pd.CategoricalDtype([status.value for status in Status], ordered=True)
ANSWER: Final = pd.CategoricalDtype([answer.value for answer in Answered], ordered=True)
VERDICT: Final = pd.CategoricalDtype([verdict.value for verdict in ClaimVerdict], ordered=True)

Columns = Mapping[str, Any]
"""Column → dtype; `MOMENT` is a timestamp in UTC to the microsecond."""


def typed(names: Sequence[str], chunks: Iterable[Sequence[Sequence[Any]]], columns: Columns) -> pd.DataFrame:
    """A frame of rows that come in chunks; a chunk is typed before the next is read.

    Args:
        names: of the columns, in the order of the rows' cells.
        chunks: rows, some at a time.
        columns: their types.
    """
    parts = [_frame(names, zip(*rows, strict=True), columns) for rows in chunks if rows]
    if not parts:
        return _frame(names, ([] for _ in names), columns)
    if len(parts) == 1:
        return parts[0]
    few = [name for name in names if columns[name] is CATEGORY]
    # One set of categories for all chunks, sorted, so that frames from different sources are equal.
    shared = {name: union_categoricals([part[name] for part in parts], sort_categories=True).dtype for name in few}
    return pd.concat([part.astype(shared) for part in parts], ignore_index=True)


def as_usd(nanodollars: Any) -> Any:
    """US dollars as float: the edge at which exactness ends."""
    return nanodollars / NANODOLLARS


def _frame(names: Sequence[str], cells: Iterable[Sequence[Any]], columns: Columns) -> pd.DataFrame:
    return pd.DataFrame({name: _series(list(values), columns[name]) for name, values in zip(names, cells, strict=True)})


def _series(values: list[Any], dtype: Any) -> "pd.Series[Any]":
    if dtype == MOMENT:
        moments = pd.DatetimeIndex(pd.to_datetime(values, utc=True, format="ISO8601"))
        return pd.Series(moments.as_unit("us"))
    series: pd.Series[Any] = pd.Series(values, dtype=dtype)
    return series


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
