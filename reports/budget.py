"""Does the month's budget hold? Plain arithmetic on what was spent by day; no data frame, no server, no clock."""

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

THRESHOLDS_PERCENT: Final = (50, 80, 100)
WINDOW_DAYS: Final = 7
"""The forecast goes on at the mean rate of so many days; so much of the month before is looked at too."""
DAYS_OF_WORST_CASE: Final = 30
ZERO: Final = Decimal(0)
CENT: Final = Decimal("0.01")


class Level(StrEnum):
    """What a person has to know of the budget."""

    HOLDS = "holds"
    ALERT = "alert"
    """A threshold is reached, or the forecast is over the budget."""
    EXCEEDED = "exceeded"
    """All of it is spent or set aside: no further model call is made this month."""
    UNLIMITED = "no budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What was spent on models. US dollars, days and months in UTC."""

    by_day: Mapping[date, Decimal]
    """Of this month, and of the days before it that the forecast looks at."""
    unpriced_calls: int = 0
    """Calls of this month whose price nobody knows, and which no budget holds."""
    unreconciled_calls: int = 0
    """Calls of this month whose answers were lost, so that nobody knows what they cost."""
    unreconciled_usd: Decimal = ZERO
    """At which these count, part of what is spent: their worst case."""
    runs_a_day: int = 0
    """Runs that may ask a model, on the busiest of the last thirty days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetState:
    """A month's budget at one moment. US dollars, days in UTC."""

    month: str
    """`2026-11`."""
    as_of: datetime
    budget_usd: Decimal | None
    """None: no budget is set."""
    spent_usd: Decimal
    """Also what is set aside for calls that are under way."""
    forecast_usd: Decimal
    """At the end of the month, to the cent."""
    daily_usd: Decimal
    """The rate that the forecast goes on with, a day."""
    days_left: Decimal
    reached_percent: tuple[int, ...]
    """The thresholds that are reached."""
    by_day: Mapping[date, Decimal]
    """Of this month, every day up to today."""
    spending: Spending

    @property
    def used(self) -> float | None:
        """Spent share of the budget; None without one."""
        if self.budget_usd is None:
            return None
        return float(self.spent_usd / self.budget_usd) if self.budget_usd else float("inf")

    @property
    def forecast_exceeds(self) -> bool:
        """Whether the month will end over the budget if it goes on so."""
        return self.budget_usd is not None and self.forecast_usd > self.budget_usd

    @property
    def level(self) -> Level:
        """The worst that is true."""
        if self.budget_usd is None:
            return Level.UNLIMITED
        if self.spent_usd >= self.budget_usd:
            return Level.EXCEEDED
        return Level.ALERT if self.reached_percent or self.forecast_exceeds else Level.HOLDS

    @property
    def days(self) -> int:
        """Days of the month."""
        return monthrange(self.as_of.year, self.as_of.month)[1]


def budget_state(spending: Spending, budget_usd: Decimal | None, now: datetime) -> BudgetState:
    """The state of the month of `now`.

    Args:
        spending: days of the month before serve the forecast.
        budget_usd: of the month; None where there is none.
        now: with its time zone.
    """
    now = now.astimezone(UTC)
    today, first = now.date(), now.date().replace(day=1)
    by_day = {day: spending.by_day.get(day, ZERO) for day in (first + timedelta(n) for n in range(today.day))}
    total = sum(by_day.values(), ZERO)
    end = datetime(now.year, now.month, monthrange(now.year, now.month)[1], tzinfo=UTC) + timedelta(days=1)
    days_left = Decimal((end - now).total_seconds()) / 86_400
    daily = daily_rate(spending.by_day, now)
    return BudgetState(
        month=f"{now:%Y-%m}",
        as_of=now,
        budget_usd=budget_usd,
        spent_usd=total,
        forecast_usd=(total + daily * days_left).quantize(CENT),
        daily_usd=daily,
        days_left=days_left,
        reached_percent=reached(total, budget_usd),
        by_day=by_day,
        spending=spending,
    )


def reached(spent_usd: Decimal, budget_usd: Decimal | None) -> tuple[int, ...]:
    """The thresholds that spending has reached, in percent; a budget of nothing is reached by any of it."""
    if budget_usd is None:
        return ()
    if not budget_usd:
        return THRESHOLDS_PERCENT
    return tuple(percent for percent in THRESHOLDS_PERCENT if spent_usd * 100 >= budget_usd * percent)


def daily_rate(spent: Mapping[date, Decimal], now: datetime) -> Decimal:
    """Mean US dollars a day over the last seven days, or since the first spending where that is later.

    At least one whole day is counted, so that the first minutes of a new ledger forecast no fortune.
    """
    start = now - timedelta(days=WINDOW_DAYS)
    recent = {day: usd for day, usd in spent.items() if start.date() < day <= now.date() and usd}
    if not recent:
        return ZERO
    first = datetime.combine(min(recent), datetime.min.time(), tzinfo=UTC)
    elapsed_s = max((now - max(first, start)).total_seconds(), 86_400)
    return sum(recent.values(), ZERO) * 86_400 / Decimal(elapsed_s)


def state_fields(state: BudgetState) -> dict[str, Any]:
    """The budget in a few fields, as alerts carry them."""
    return {
        "month": state.month,
        "as_of": state.as_of.isoformat(),
        "level": state.level.value,
        "budget_usd": None if state.budget_usd is None else f"{state.budget_usd:f}",
        "spent_usd": f"{state.spent_usd:f}",
        "unpriced_calls": state.spending.unpriced_calls,
        "unreconciled_calls": state.spending.unreconciled_calls,
        "unreconciled_usd": f"{state.spending.unreconciled_usd:f}",
        "forecast_usd": f"{state.forecast_usd:f}",
        "forecast_exceeds": state.forecast_exceeds,
        "reached_percent": list(state.reached_percent),
    }
