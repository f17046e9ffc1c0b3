"""Textbook definitions, written for obviousness and not for speed; the generated file carries those that it needs."""

from collections.abc import Sequence
from typing import Any


def _primes_below(end: int) -> list[int]:
    return [n for n in range(2, end) if all(n % d for d in range(2, n))]


def _edit_distance(a: Sequence[Any], b: Sequence[Any]) -> int:
    """Levenshtein: fewest insertions, deletions and substitutions, row by row."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(row[j - 1] + 1, above[j] + 1, above[j - 1] + (x != y)))
    return row[-1]


def _is_balanced(text: str) -> bool:
    """Whether removing matched pairs leaves nothing."""
    while any(pair in text for pair in ("()", "[]", "{}")):
        for pair in ("()", "[]", "{}"):
            text = text.replace(pair, "")
    return not text
