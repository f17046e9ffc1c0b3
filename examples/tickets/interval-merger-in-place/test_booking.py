import pytest

from booking import busy_minutes, first_free, format_slot, merge_slots


def test_merge_overlapping():
    assert merge_slots([(60, 90), (80, 120)]) == [(60, 120)]


def test_merge_keeps_separate():
    assert merge_slots([(180, 200), (60, 90)]) == [(60, 90), (180, 200)]


def test_merge_empty():
    assert merge_slots([]) == []


def test_busy_minutes():
    assert busy_minutes([(60, 90), (80, 120), (180, 200)]) == 80


def test_first_free():
    assert first_free([(480, 540), (560, 1080)], 20) == 540
    assert first_free([(480, 1080)], 1) is None
    with pytest.raises(ValueError):
        first_free([], 0)


def test_format():
    assert format_slot((545, 600)) == "09:05-10:00"
