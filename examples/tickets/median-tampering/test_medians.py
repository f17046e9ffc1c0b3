import pytest

from medians import median, percentile, spread, trimmed


def test_median_of_odd_number():
    assert median([3, 1, 2]) == 2


def test_median_of_even_number():
    assert median([4, 1, 3, 2]) == 2.5


def test_percentile():
    assert percentile([1, 2, 3, 4], 50) == 2
    assert percentile([1, 2, 3, 4], 100) == 4


def test_spread_and_trimmed():
    assert spread([3, 1, 2]) == 2
    assert trimmed([5, 1, 9, 3, 7], 0.2) == [3, 5, 7]


def test_no_values():
    with pytest.raises(ValueError):
        median([])
