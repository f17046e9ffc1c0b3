"""Half-open intervals `(start, end)` of numbers: merging, gaps, length."""

from collections.abc import Iterable

Interval = tuple[float, float]


def _checked(intervals: Iterable[Interval]) -> list[Interval]:
    """A sorted copy without empty intervals."""
    kept = []
    for start, end in intervals:
        if not start <= end:
            raise ValueError(f"interval: got ({start}, {end}), expected a start that is not after the end")
        if start < end:
            kept.append((start, end))
    return sorted(kept)


def merge(intervals: Iterable[Interval]) -> list[Interval]:
    """The fewest intervals that cover the same numbers, sorted.

    Overlapping and touching intervals become one; empty ones vanish.

    Raises:
        ValueError: an interval starts after its end, or has a bound that is no number (NaN).

    >>> merge([(5, 8), (1, 3), (2, 4)])
    [(1, 4), (5, 8)]
    >>> merge([(1, 3), (3, 5)])
    [(1, 5)]
    >>> merge([(2, 2)])
    []
    """
    merged: list[Interval] = []
    for start, end in _checked(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def total_length(intervals: Iterable[Interval]) -> float:
    """How much the intervals cover together; what is covered twice counts once.

    >>> total_length([(0, 4), (2, 6), (10, 11)])
    7
    """
    return sum(end - start for start, end in merge(intervals))


def gaps(intervals: Iterable[Interval], within: Interval) -> list[Interval]:
    """What the intervals leave uncovered of `within`, sorted.

    >>> gaps([(2, 4), (6, 12)], within=(0, 10))
    [(0, 2), (4, 6)]
    """
    low, high = within
    if not low <= high:
        raise ValueError(f"within: got {within}, expected a start that is not after the end")
    free: list[Interval] = []
    position = low
    for start, end in merge(intervals):
        if start >= high:
            break
        if start > position:
            free.append((position, start))
        position = max(position, end)
    if position < high:
        free.append((position, high))
    return free


def overlaps(one: Interval, other: Interval) -> bool:
    """Whether two intervals share a number; touching is not overlapping, and an empty one overlaps nothing."""
    return max(one[0], other[0]) < min(one[1], other[1])
