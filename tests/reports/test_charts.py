"""Axes that hold the data, and bars that one can tell apart."""

import math
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest

from reports.charts import BARS_AT_MOST, nice_top, periods, whole_ticks
from reports.groups import Group


def runs(days: int, every: int = 1) -> pd.DataFrame:
    index = pd.DatetimeIndex([datetime(2026, 1, 5, tzinfo=UTC) + timedelta(days=n) for n in range(0, days, every)])
    return pd.DataFrame({group.value: 1 for group in Group}, index=index)


TOPS = {0: 1, 0.03: 0.04, 1: 1, 2: 2, 3: 4, 7: 8, 9: 10, 11: 20, 26: 40, 49: 50, 51: 80, 999: 1000}


@pytest.mark.parametrize(("highest", "top"), TOPS.items())
def test_an_axis_ends_at_a_round_number_above_the_data_and_counts_runs_in_whole_ones(highest, top) -> None:
    assert nice_top(highest) == pytest.approx(top)
    ticks = whole_ticks(nice_top(math.ceil(highest)))
    assert all(tick == int(tick) for tick in ticks)
    assert (ticks[0], ticks[-1]) == (0, nice_top(math.ceil(highest)))


@pytest.mark.parametrize(("days", "unit"), [(1, "day"), (62, "day"), (63, "week"), (430, "week"), (500, "month")])
def test_long_times_are_shown_by_week_or_month(days: int, unit: str) -> None:
    shown = periods(runs(days))
    assert shown.unit == unit
    assert len(shown.starts) <= BARS_AT_MOST
    assert shown.runs.to_numpy().sum() == days * len(Group)
