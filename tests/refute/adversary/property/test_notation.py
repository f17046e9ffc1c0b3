"""Each row of notation.toml by its own examples of a function f."""

import pytest

from refute.adversary.property.faces import read_surface
from refute.adversary.property.notation import read_inline
from refute.adversary.property.sessions import read_sessions
from refute.adversary.tables import rows
from tests.refute.adversary.property.workbench import brief_of

SUBJECT = read_surface(brief_of("def f(x):\n    return x\n", ["-"]).modules).named("f")


def test_what_a_row_says_holds_an_example_and_what_it_refuses_none() -> None:
    told = [text for row in rows("property/notation") for text in row["says"]]
    assert [text for text in told if not read_inline(text, frozenset({"f"}), SUBJECT)] == []
    assert [row["not"] for row in rows("property/notation") if read_inline(row["not"], frozenset({"f"}), SUBJECT)] == []


@pytest.mark.parametrize(
    "text",
    [
        "f(1) == 2 and f(1) == 3",
        "f(2) = 1, f(3) = [1]",
        "f() == 1",
        "f(x) -> f(1)",
        "f(1) and f(2) return 3 and 4.",
        "The sum of f(1) and f(2) is 3.",
    ],
)
def test_what_a_text_does_not_say_for_certain_is_no_example(text: str) -> None:
    assert [one.quote for one in read_inline(text, frozenset({"f"}), SUBJECT) if "()" not in one.quote] == []


def test_what_is_said_of_calls_that_are_joined_is_said_of_each() -> None:
    found = read_inline("`f(1)`, `f(2)` and `f(3)` are True, f(4) returns 5.", frozenset({"f"}), SUBJECT)
    assert [str(one.steps[0]).partition("\n")[2] for one in found] == ["True", "True", "True", "5"]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (">>> f(1)\n1\n\n    >>> f(2)\n  2", ["f(1)"]),
        (">>> f(1)  # doctest: +SKIP\n1\n>>> f(2)\n2", ["f(2)"]),
        (">>> f([\n  1])\n2", ["f(["]),
        (">>> g = 1\n>>> f(1)\n# nothing", ["f(1)"]),
    ],
)
def test_sessions_are_read_as_far_as_they_parse(text: str, calls: list[str]) -> None:
    assert [one.quote.partition("  ")[0] for one in read_sessions(text)] == calls
