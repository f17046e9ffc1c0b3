"""The budget's arithmetic: thresholds to the cent, a forecast from recent days, months in UTC."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from reports.budget import Level, Spending, budget_state, reached

FIFTY = Decimal(50)
NOON_OF_THE_16TH = datetime(2026, 11, 16, 12, tzinfo=UTC)


def every_day(usd: str, *, until: date, days: int) -> dict[date, Decimal]:
    return {until - timedelta(days=n): Decimal(usd) for n in range(days)}


@pytest.mark.parametrize(
    ("spent", "expected"), [("24.99", ()), ("25.00", (50,)), ("39.999999999", (50,)), ("50", (50, 80, 100))]
)
def test_thresholds_are_reached_to_the_last_cent(spent: str, expected: tuple[int, ...]) -> None:
    assert reached(Decimal(spent), FIFTY) == expected


def test_without_a_budget_nothing_is_reached_and_a_budget_of_nothing_is_used_up() -> None:
    assert reached(Decimal(1000), None) == ()
    assert budget_state(Spending(by_day={}), None, NOON_OF_THE_16TH).level is Level.UNLIMITED
    assert reached(Decimal(0), Decimal(0)) == (50, 80, 100)
    assert budget_state(Spending(by_day={}), Decimal(0), NOON_OF_THE_16TH).level is Level.EXCEEDED


def test_the_forecast_goes_on_at_the_rate_of_the_last_seven_days() -> None:
    spent = every_day("1", until=date(2026, 11, 15), days=15) | {date(2026, 11, 16): Decimal("0.5")}
    state = budget_state(Spending(by_day=spent), FIFTY, NOON_OF_THE_16TH)
    expected = Decimal("15.5"), Decimal("14.5"), Decimal("30.00"), Level.HOLDS
    assert (state.spent_usd, state.days_left, state.forecast_usd, state.level) == expected


def test_the_first_day_of_a_month_forecasts_from_the_days_before_it() -> None:
    now = datetime(2026, 12, 1, 1, tzinfo=UTC)
    state = budget_state(Spending(by_day=every_day("2", until=date(2026, 11, 30), days=7)), FIFTY, now)
    assert 55 < state.forecast_usd < 65
    assert (state.spent_usd, state.forecast_exceeds, state.level, state.reached_percent) == (0, True, Level.ALERT, ())


def test_the_month_is_that_of_utc() -> None:
    eastern = datetime(2026, 12, 1, 3, tzinfo=timezone(timedelta(hours=9)))
    assert budget_state(Spending(by_day={}), FIFTY, eastern).month == "2026-11"
