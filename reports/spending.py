"""What was spent on models by day: reservations are the truth, as the hard stop reads them too."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, exists, func, or_, select, type_coerce

from refute.ledger.bench_runs import is_no_bench
from refute.ledger.budgets import State
from refute.ledger.schema import OUTCOMES, RESERVATIONS
from refute.ledger.store import Ledger
from reports.budget import WINDOW_DAYS, ZERO, Spending
from reports.reading import utc_day


def read_spending(ledger: Ledger, now: datetime) -> Spending:
    """What was spent, and what could be, read in one transaction.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    now = now.astimezone(UTC)
    with ledger.transaction() as connection:
        unpriced, lost, lost_usd = connection.execute(_uncertain(now)).one()
        return Spending(
            by_day=_by_day(connection, now),
            unpriced_calls=unpriced,
            unreconciled_calls=lost,
            unreconciled_usd=lost_usd or ZERO,
            runs_a_day=_most_runs_a_day(connection, now),
        )


def _by_day(connection: Connection, now: datetime) -> Mapping[date, Decimal]:
    """What calls cost, what is set aside for those under way, and the cost of outcomes whose run has no reservation.

    The last are imported ones. Bench runs are in it: their money was spent.
    """
    start = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0) - timedelta(days=WINDOW_DAYS)
    totals: dict[date, Decimal] = defaultdict(lambda: ZERO)
    for query in (_reserved(start, now), _unreserved(connection, start, now)):
        for day, usd in connection.execute(query).all():
            totals[date.fromisoformat(day)] += usd
    return dict(totals)


def _uncertain(now: datetime) -> Select[Any, Any, Any]:
    """Calls of this month without a known price; those whose answers were lost, and their worst case in US dollars.

    Those whose process died while they were under way are lost too, once no answer can be on its way any more.
    """
    held = RESERVATIONS.c
    unpriced = held.state.in_([State.SENT.value, State.SETTLED.value]) & held.worst_nanousd.is_(None)
    lost = held.unreconciled | ((held.state == State.SENT.value) & (held.expires_at <= now))
    figures = (func.count().filter(unpriced), func.count().filter(lost), func.sum(held.worst_nanousd).filter(lost))
    return select(*figures).where(held.month == f"{now:%Y-%m}")


def _most_runs_a_day(connection: Connection, now: datetime) -> int:
    """Runs that may ask a model, on the busiest of the last thirty days, without bench runs; others cost nothing."""
    day = utc_day(connection, OUTCOMES.c.started_at)
    costly = (OUTCOMES.c.tester != "property") | (type_coerce(OUTCOMES.c.cost_nanousd, BigInteger) > 0)
    tickets = (OUTCOMES.c.started_at >= now - timedelta(days=30)) & is_no_bench(OUTCOMES.c.run_id) & costly
    counts = select(func.count().label("runs")).where(tickets).group_by(day).subquery()
    return connection.execute(select(func.max(counts.c.runs))).scalar_one() or 0


def _reserved(start: datetime, now: datetime) -> Select[Any]:
    held = RESERVATIONS.c
    alive = or_(held.state != State.RESERVED.value, held.expires_at > now)
    return (
        select(held.day, func.sum(held.held_nanousd))
        .where(held.day >= f"{start:%Y-%m-%d}", held.day <= f"{now:%Y-%m-%d}", alive)
        .group_by(held.day)
    )


def _unreserved(connection: Connection, start: datetime, now: datetime) -> Select[Any]:
    day: ColumnElement[Any] = utc_day(connection, OUTCOMES.c.started_at)
    reserved = exists().where(RESERVATIONS.c.run_id == OUTCOMES.c.run_id)
    costly = type_coerce(OUTCOMES.c.cost_nanousd, BigInteger) > 0
    query = select(day, func.sum(OUTCOMES.c.cost_nanousd)).group_by(day)
    return query.where(OUTCOMES.c.started_at >= start, OUTCOMES.c.started_at <= now, costly, ~reserved)
