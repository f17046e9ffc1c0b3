"""Compare two exports of record ids, as the nightly job between the shop and the accounts does."""

from collections.abc import Iterator


def distinct(ids: list[int]) -> list[int]:
    """Every id once, smallest first.

    >>> distinct([3, 1, 3])
    [1, 3]
    """
    ordered: list[int] = []
    for number in sorted(ids):
        if not ordered or ordered[-1] != number:
            ordered.append(number)
    return ordered


def in_both(left: list[int], right: list[int]) -> list[int]:
    """Ids that both exports hold, each once, smallest first.

    >>> in_both([1, 2, 2], [2, 5])
    [2]
    """
    return [number for number, here, there in _walk(left, right) if here and there]


def in_either(left: list[int], right: list[int]) -> list[int]:
    """Ids that at least one export holds, each once, smallest first.

    >>> in_either([4], [1, 4])
    [1, 4]
    """
    return [number for number, _, _ in _walk(left, right)]


def missing(expected: list[int], found: list[int]) -> list[int]:
    """Ids that were expected and not found, each once, smallest first.

    >>> missing([1, 2, 3], [2])
    [1, 3]
    """
    return [number for number, here, there in _walk(expected, found) if here and not there]


def _walk(left: list[int], right: list[int]) -> Iterator[tuple[int, bool, bool]]:
    """Each id of either list in order, with whether it is in the first and in the second; one pass over both."""
    a, b = distinct(left), distinct(right)
    i = j = 0
    while i < len(a) or j < len(b):
        here = i < len(a) and (j == len(b) or a[i] <= b[j])
        there = j < len(b) and (i == len(a) or b[j] <= a[i])
        yield (a[i] if here else b[j]), here, there
        i += here
        j += there
