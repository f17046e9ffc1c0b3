import pytest

from refute.statistics.interval import wilson


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [(0, 0, 0.0, 1.0), (30, 30, 0.917, 1.0), (0, 30, 0.0, 0.083), (15, 30, 0.356, 0.644), (1, 1, 0.270, 1.0)],
)
def test_the_interval_is_wilson_s_at_ninety_percent(hits, trials, low, high):
    assert wilson(hits, trials) == (pytest.approx(low, abs=0.002), pytest.approx(high, abs=0.002))
