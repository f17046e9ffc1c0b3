"""Where two sources say different things of the same: other numbers, other dates, or the opposite."""

# ruff: noqa: SIM905 - long tables of names read best as words

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from refute.research.grounding import FREE_CHARS, FREE_WORDS, numbers, stem, words
from refute.research.record import KeyPoint

ALIKE: Final = 0.5
"""Share of the shorter passage's words that the other one has too, from which on both speak of the same."""
MIN_COMMON: Final = 2
NEGATIONS: Final = frozenset(
    "no not never none neither nor cannot without can't don't doesn't didn't isn't aren't wasn't won't unlike".split()
)
MONTHS: Final = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
_ISO: Final = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_SPOKEN: Final = re.compile(
    rf"\b(?:(\d{{1,2}})\.?\s+)?({'|'.join(MONTHS)})[a-z]*\.?\s+(?:(\d{{1,2}})(?:st|nd|rd|th)?,?\s+)?(\d{{4}})\b",
    re.IGNORECASE,
)


def contradictions(points: Sequence[KeyPoint]) -> tuple[str, ...]:
    """One note for each pair of points of different sources that disagree."""
    found = []
    for one, other in combinations(points, 2):
        if one.source != other.source and _same_subject(one.quote, other.quote):
            found += [f"sources {one.source} and {other.source} disagree: {why}" for why in _differences(one, other)]
    return tuple(dict.fromkeys(found))


def dates(text: str) -> frozenset[str]:
    """The dates of a text, `2026-11-24` or, where no day is told, `2026-11`."""
    found = {f"{year}-{int(month):02}-{int(day):02}" for year, month, day in _ISO.findall(text)}
    for before, month, after, year in _SPOKEN.findall(text):
        day = before or after
        found.add(f"{year}-{MONTHS.index(month.lower()[:3]) + 1:02}" + (f"-{int(day):02}" if day else ""))
    return frozenset(found)


def _differences(one: KeyPoint, other: KeyPoint) -> Iterator[str]:
    """`numbers 3 and 5 (“…”; “…”)`; numbers that one passage has on top of the other's are no contradiction."""
    shown = f"(“{one.quote[:120]}”; “{other.quote[:120]}”)"
    for kind, left, right in (
        ("dates", dates(one.quote), dates(other.quote)),
        ("numbers", _plain_numbers(one.quote), _plain_numbers(other.quote)),
    ):
        if left and right and not (left <= right or right <= left):
            yield f"{kind} {_named(left - right)} and {_named(right - left)} {shown}"
    if _negations(one.quote) % 2 != _negations(other.quote) % 2:
        yield f"only one of them negates {shown}"


def _named(found: frozenset[str]) -> str:
    return ", ".join(sorted(found)[:3])


def _plain_numbers(text: str) -> frozenset[str]:
    return numbers(_SPOKEN.sub(" ", _ISO.sub(" ", text)))


def _negations(text: str) -> int:
    return sum(word in NEGATIONS for word in words(text))


def _same_subject(one: str, other: str) -> bool:
    left, right = _subject(one), _subject(other)
    common = len(left & right)
    return common >= MIN_COMMON and common >= ALIKE * min(len(left), len(right))


def _subject(text: str) -> frozenset[str]:
    told = (word for word in words(text) if len(word) >= FREE_CHARS and not any(map(str.isdigit, word)))
    return frozenset(stem(word) for word in told if word not in FREE_WORDS | NEGATIONS)
