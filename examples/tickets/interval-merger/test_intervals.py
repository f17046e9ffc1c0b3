import pytest

from intervals import gaps, merge, overlaps, total_length


@pytest.mark.parametrize(
    ("given", "merged"),
    [
        ([], []),
        ([(1, 2)], [(1, 2)]),
        ([(1, 10), (2, 3)], [(1, 10)]),
        ([(1, 3), (3, 5)], [(1, 5)]),
        ([(5, 6), (1, 2)], [(1, 2), (5, 6)]),
        ([(1, 1), (2, 2)], []),
        ([(-1.5, 0.0), (-0.5, 2.5)], [(-1.5, 2.5)]),
    ],
)
def test_merge(given, merged):
    assert merge(given) == merged


def test_merge_leaves_its_argument_alone():
    given = [(5, 6), (1, 2)]
    merge(given)
    assert given == [(5, 6), (1, 2)]


@pytest.mark.parametrize("wrong", [(2, 1), (float("nan"), 1), (0, float("nan"))])
def test_wrong_intervals_are_refused(wrong):
    with pytest.raises(ValueError):
        merge([wrong])


def test_gaps_and_merged_intervals_together_cover_everything():
    given = [(2, 4), (3, 5), (8, 20)]
    assert total_length([*given, *gaps(given, within=(0, 20))]) == 20


def test_overlaps():
    assert overlaps((0, 2), (1, 3))
    assert not overlaps((0, 1), (1, 2))
    assert not overlaps((1, 1), (0, 2))
