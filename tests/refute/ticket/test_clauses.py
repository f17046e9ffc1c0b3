"""A claim is cut where its parts can be false one without the other, and only there."""

import pytest

from refute.ticket.clauses import SEPARATORS, Separator, clauses_of, open_clauses

HALVES = "biggest returns the greatest element; it raises ValueError when empty"


@pytest.mark.parametrize("row", SEPARATORS, ids=lambda row: row.cuts)
def test_each_separator_cuts_its_example_and_spares_the_other(row: Separator) -> None:
    assert len(clauses_of(row.cuts)) == 2
    assert clauses_of(row.keeps) == (row.keeps,)


@pytest.mark.parametrize(
    "text",
    [
        "raises ValueError when empty",
        "If n is even, f(n) is n // 2.",
        "Returns True if c, otherwise False.",
        "Removes and returns the last item.",
        "`Stack.pop(n)` removes and returns the item at n.",
        "Lines that start with # and end with a colon are kept (see RFC 1. It says more; much more).",
        'split("a. b; c") gives 2 parts, e.g. in `x; y. z`.',
        "Doubles x.\n\n>>> double(1)\n2\n>>> double('a. b; c')\n'...'",
        "Title\n\nInput:\n    n: a number. It is positive; never 0.\n\nOutput:\n    The square of n",
        "",
    ],
)
def test_where_it_is_in_doubt_a_claim_stays_whole(text: str) -> None:
    assert clauses_of(text) == (text,)


@pytest.mark.parametrize("text", [HALVES, "Sorts. Note that it is slow. Raises E, never None.\n- a\n- b", "(((" * 50])
def test_clauses_together_are_the_claim(text: str) -> None:
    assert "".join("".join(clauses_of(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("quotes", "left"),
    [
        ([], clauses_of(HALVES)),
        (["raises ValueError"], clauses_of(HALVES)[:1]),
        (["greatest  element", "raises\nValueError when empty"], ()),
        ([HALVES], clauses_of(HALVES)[1:]),
        ([HALVES, HALVES], clauses_of(HALVES)[1:]),
        (["something else"], clauses_of(HALVES)),
    ],
)
def test_a_quote_counts_for_the_one_clause_that_holds_most_of_it(quotes: list[str], left: tuple[str, ...]) -> None:
    assert open_clauses(HALVES, quotes) == left
