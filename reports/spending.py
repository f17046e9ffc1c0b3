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
from reports.budget import WINDOW_DAYS, ZERO
from reports.reading import utc_day

Spent = Mapping[date, Decimal]


def spent_by_day(ledger: Ledger, now: datetime) -> Spent:
    """US dollars by day in UTC, this month and the days before it that a forecast looks at.

    Counted are what calls cost, what is set aside for those under way, and the cost of outcomes whose run has no
    reservation (imported ones). Bench runs are in it: their money was spent.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    now = now.astimezone(UTC)
    start = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0) - timedelta(days=WINDOW_DAYS)
    totals: dict[date, Decimal] = defaultdict(lambda: ZERO)
    with ledger.transaction() as connection:
        for query in (_reserved(start, now), _unreserved(connection, start, now)):
            for day, usd in connection.execute(query).all():
                totals[date.fromisoformat(day)] += usd
    return dict(totals)


def unpriced_calls(ledger: Ledger, now: datetime) -> int:
    """Model calls of this month in UTC whose price nobody knows.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    held = RESERVATIONS.c
    sent = held.state.in_([State.SENT.value, State.SETTLED.value])
    unknown = sent & held.worst_nanousd.is_(None) & (held.month == f"{now.astimezone(UTC):%Y-%m}")
    with ledger.transaction() as connection:
        return connection.execute(select(func.count()).select_from(RESERVATIONS).where(unknown)).scalar_one()


def unreconciled_calls(ledger: Ledger, now: datetime) -> tuple[int, Decimal]:
    """Model calls of this month in UTC whose answers were lost, and the US dollars at which they count: the worst case.

    Those whose process died while they were under way are among them, once no answer can be on its way any more.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    held = RESERVATIONS.c
    given_up = (held.state == State.SENT.value) & (held.expires_at <= now)
    lost = (held.month == f"{now.astimezone(UTC):%Y-%m}") & (held.unreconciled | given_up)
    query = select(func.count(), func.sum(held.worst_nanousd)).where(lost)
    with ledger.transaction() as connection:
        calls, usd = connection.execute(query).one()
    return calls, usd or ZERO


def most_runs_a_day(ledger: Ledger, now: datetime) -> int:
    """Runs that may ask a model, on the busiest of the last thirty days, without bench runs; others cost nothing.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    with ledger.transaction() as connection:
        day = utc_day(connection, OUTCOMES.c.started_at)
        since = now.astimezone(UTC) - timedelta(days=30)
        costly = (OUTCOMES.c.tester != "property") | (type_coerce(OUTCOMES.c.cost_nanousd, BigInteger) > 0)
        tickets = (OUTCOMES.c.started_at >= since) & is_no_bench(OUTCOMES.c.run_id) & costly
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
