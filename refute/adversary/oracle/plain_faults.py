"""Mistakes of tests for which nobody need be asked: their expectation says more than any claim could mean."""

import math
import re
from collections.abc import Sequence
from typing import Any, Final

from refute.adversary.oracle.error_text import gives_text
from refute.adversary.oracle.question import Form, Situation
from refute.adversary.oracle.shown import literal

ROUNDING: Final = 1e-9
"""Relative: what calculating with binary fractions loses, many times over."""
NEAR_NOTHING: Final = 1e-12
"""What is left of that where the result should be 0."""
EXACT: Final = re.compile(
    r"\bexact|\bround|\bdecimals?\b|\bdigits?\b|\bprecis|\bplaces\b|\bcents?\b|\btruncat|\bfloor|\bceil|\bbit\b",
    re.IGNORECASE,
)
"""Claims for which the last digit may matter."""
UNSAID: Final = "the test is wrong: it expects words of an error's message that no claim gives"
TOO_EXACT: Final = "the test is wrong: it compares numbers that differ by no more than rounding"


def test_at_fault(situation: Situation, claims: Sequence[str]) -> str:
    """Why a failing test says nothing about the code; empty where it may.

    Args:
        situation: in which it failed.
        claims: texts of the ticket's claims.
    """
    if situation.error_text and not gives_text(claims, situation.error_text):
        return UNSAID
    seen = literal(situation.seen) if situation.form is Form.VALUE else None
    if seen is not None and not any(map(EXACT.search, claims)) and _rounded(seen[0], situation.expected):
        return TOO_EXACT
    return ""


def _rounded(one: Any, other: Any) -> bool:
    """Equal but for rounding, in all parts of one kind."""
    if isinstance(one, float) and isinstance(other, float | int) and not isinstance(other, bool):
        return math.isclose(one, other, rel_tol=ROUNDING, abs_tol=NEAR_NOTHING)
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_rounded, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_rounded(one[key], other[key]) for key in one)
    return bool(one == other)
