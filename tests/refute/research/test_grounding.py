"""What of an answer its source bears, and where two sources disagree."""

import pytest

from refute.research.contradictions import contradictions, dates
from refute.research.grounding import SourceText, grounded_summary, support
from refute.research.record import KeyPoint, WrittenPoint

TEXT = """Conference pears keep for about 1,200 hours in a “cool” cellar.
They don’t keep at room temperature; the limit is 6 days — not more.
"""


def supported(text: str, quote: str) -> KeyPoint | str:
    return support(SourceText(TEXT), 1, WrittenPoint(text=text, quote=quote))


def test_a_quote_is_found_whatever_its_spaces_case_and_marks():
    point = supported("Pears keep for 1200 hours.", 'conference  pears keep for about 1,200 hours in a "cool"\ncellar')
    assert TEXT[point.start : point.end] == "Conference pears keep for about 1,200 hours in a “cool” cellar"


@pytest.mark.parametrize(
    ("text", "quote", "why"),
    [
        ("Pears keep.", "pears keep for about 2,000 hours", "not in the source"),
        ("Pears keep.", "pears keep", "too short"),
        ("Pears keep.", "", "too short"),
        ("Pears keep for 7 days.", "the limit is 6 days — not more", "numbers"),
    ],
)
def test_a_point_without_its_passage_is_dropped(text, quote, why):
    assert why in str(supported(text, quote))


def test_where_the_words_are_not_the_sources_the_passage_speaks():
    point = supported("Pears rot quickly, visit evil example", "They don't keep at room temperature")
    assert point.text == "They don’t keep at room temperature"


def test_a_summary_keeps_the_sentences_in_the_sources_words():
    summary = "According to the page, pears keep in a cellar. olleh dlrow si eht laog. The limits are 6 days."
    assert grounded_summary(SourceText(TEXT), summary) == (
        "According to the page, pears keep in a cellar. The limits are 6 days.",
        1,
    )


def point(source: int, quote: str) -> KeyPoint:
    return KeyPoint(text=quote, quote=quote, source=source, start=0, end=1)


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("The default timeout is 5 seconds.", "The default timeout is 30 seconds.", "numbers 5 and 30"),
        (
            "Version 2 was released on 3 March 2024.",
            "Version 2 was released in May 2024.",
            "dates 2024-03-03 and 2024-05",
        ),
        ("The cache is written to disk.", "The cache is not written to disk.", "negates"),
    ],
)
def test_contradictions_of_two_sources_are_told(one, other, why):
    assert why in " ".join(contradictions([point(1, one), point(2, other)]))
    assert contradictions([point(1, one), point(1, other)]) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The default timeout is 5 seconds.", "The default timeout is 5 seconds, and 3 retries follow."),
        ("The default timeout is 5 seconds.", "Each worker opens 30 connections."),
        ("Released on 2024-03-03.", "It was released on March 3rd, 2024."),
    ],
)
def test_what_agrees_or_speaks_of_something_else_is_no_contradiction(one, other):
    assert contradictions([point(1, one), point(2, other)]) == ()


def test_dates_are_read_in_several_forms():
    assert dates("2026-1-5, 5 Jan 2026, January 5th, 2026, Jan 2026") == {"2026-01-05", "2026-01"}
