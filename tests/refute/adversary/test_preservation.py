"""Claims that nothing has changed are told from others, and the file that was replaced is found."""

from dataclasses import replace

import pytest

from refute.adversary.preservation import preserves, preserves_everything, replaced_file
from tests.refute.adversary.conftest import make_brief


@pytest.mark.parametrize(
    "claim",
    [
        "slugify returns the same results as before.",
        "parse() gives identical output to the previous version.",
        "The behaviour of `merge` is unchanged.",
        "Does not change the behaviour of `merge`.",
        "No behavioural changes.",
        "The refactoring is backward-compatible.",
        "A drop-in replacement for the old function.",
        "Results are the same as in the old implementation, with no regressions.",
        "`total` works exactly as before.",
        "Preserves the existing behaviour of every public function.",
        "Public API remains unchanged.",
        "parse() and `Version.match` are as before.",
    ],
)
def test_a_claim_that_nothing_has_changed_is_recognised(claim: str) -> None:
    assert preserves(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "sort(xs) returns the same list as before the call.",
        "f(xs) leaves its argument unchanged.",
        "Items keep the order in which they came before.",
        "Two calls give the same result.",
        "After a failed call the list is as before it.",
        "cache() keeps the results of the last n calls.",
        "reset() restores the value that was set before it was changed.",
    ],
)
def test_a_claim_about_something_else_that_stays_is_not(claim: str) -> None:
    assert not preserves(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "Negative numbers now raise; otherwise the behaviour is unchanged.",
        "Behaviour is unchanged for valid input.",
        "The rest of the behaviour is unchanged.",
        "Format specs without hyphens behave as before.",
    ],
)
def test_a_bound_on_what_stays_is_heard(claim: str) -> None:
    ticket = make_brief(claim).ticket
    assert preserves(claim)
    assert not preserves_everything(ticket.claims[0], ticket)


@pytest.mark.parametrize(
    ("claim", "other", "everything"),
    [
        ("Behaviour remains unchanged.", "double(x) returns twice its argument.", True),
        ("Behaviour remains unchanged.", "double(x) now accepts None.", False),
        ("Behaviour remains unchanged.", "Fixed a bug with negative numbers.", False),
        ("Does not change the behaviour of `double`.", "triple(x) now accepts None.", True),
        ("Does not change the behaviour of `double`.", "double(None) no longer raises.", False),
        ("Behaviour remains unchanged.", "The API is unchanged.", True),
    ],
)
def test_what_the_rest_of_the_ticket_changes_may_differ(claim: str, other: str, everything: bool) -> None:
    ticket = make_brief(claim, other).ticket
    assert preserves_everything(ticket.claims[0], ticket) is everything


@pytest.mark.parametrize(
    ("files", "previous", "replaced"),
    [
        (("impl.py",), "old.py", "impl.py"),
        (("a/x.py", "a/y.py"), "old/y.py", "a/y.py"),
        (("a/x.py", "b/x.py"), "old/x.py", ""),
        (("impl.py",), None, ""),
    ],
)
def test_the_file_that_took_the_place_of_the_previous_one_is_found(
    files: tuple[str, ...], previous: str | None, replaced: str
) -> None:
    assert replaced_file(replace(make_brief().ticket, implementation_files=files, previous=previous)) == replaced
