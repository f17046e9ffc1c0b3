import pytest

from refute.statistics.interval import wilson


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [(0, 0, 0.0, 1.0), (30, 30, 0.917, 1.0), (0, 30, 0.0, 0.083), (15, 30, 0.356, 0.644), (1, 1, 0.270, 1.0)],
)
def test_the_interval_is_wilson_s_at_ninety_percent(hits, trials, low, high):
    assert wilson(hits, trials) == (pytest.approx(low, abs=0.002), pytest.approx(high, abs=0.002))


@pytest.mark.parametrize(
    ("hits", "trials", "population", "low", "high"),
    [(3, 3, 3, 1.0, 1.0), (2, 4, 4, 0.5, 0.5), (15, 30, 10**9, 0.356, 0.644), (5, 6, 8, 0.664, 0.927), (0, 0, 5, 0, 1)],
)
def test_where_few_are_left_that_were_not_tried_little_is_left_to_estimate(hits, trials, population, low, high):
    found = wilson(hits, trials, population=population)
    assert found == (pytest.approx(low, abs=0.002), pytest.approx(high, abs=0.002))
