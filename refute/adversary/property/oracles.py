"""Textbook definitions, written for obviousness and not for speed; the generated file carries those that it needs."""

import itertools
from collections.abc import Sequence
from typing import Any


def _is_prime(n: int) -> bool:
    """Greater than one and divisible by nothing between."""
    return n > 1 and all(n % d for d in range(2, n))


def _primes_below(end: int) -> list[int]:
    return [n for n in range(2, end) if _is_prime(n)]


def _prime_factors(n: int) -> list[int]:
    """Smallest first, with repetition."""
    factors = []
    while n > 1:
        divisor = next(d for d in range(2, n + 1) if n % d == 0)
        factors.append(divisor)
        n //= divisor
    return factors


def _edit_distance(a: Sequence[Any], b: Sequence[Any]) -> int:
    """Levenshtein: fewest insertions, deletions and substitutions, row by row."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(row[j - 1] + 1, above[j] + 1, above[j - 1] + (x != y)))
    return row[-1]


def _is_subsequence(part: Sequence[Any], whole: Sequence[Any]) -> bool:
    """Whether the part's items occur in the whole in the same order."""
    rest = iter(whole)
    return all(item in rest for item in part)


def _common_subsequence_length(a: Sequence[Any], b: Sequence[Any]) -> int:
    """By trying every subsequence of `a`."""
    sizes = range(len(a), 0, -1)
    parts = (part for size in sizes for part in itertools.combinations(a, size))
    return next((len(part) for part in parts if _is_subsequence(part, b)), 0)


def _common_substring_length(a: str, b: str) -> int:
    """By trying every substring of `a`."""
    pieces = (a[i:j] for i in range(len(a)) for j in range(i + 1, len(a) + 1))
    return max((len(piece) for piece in pieces if piece in b), default=0)


def _increasing_subsequence_length(items: Sequence[Any]) -> int:
    """Longest strictly increasing subsequence, by trying every one."""
    sizes = range(len(items), 0, -1)
    parts = (part for size in sizes for part in itertools.combinations(items, size))
    return next((len(part) for part in parts if all(x < y for x, y in itertools.pairwise(part))), 0)


def _is_balanced(text: str) -> bool:
    """Whether removing matched pairs leaves nothing."""
    while any(pair in text for pair in ("()", "[]", "{}")):
        for pair in ("()", "[]", "{}"):
            text = text.replace(pair, "")
    return not text
