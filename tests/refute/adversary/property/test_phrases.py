"""Each row of phrases.toml by its own examples: what it must match, and what it must leave alone."""

import re

import pytest

from refute.adversary.property import PropertyTester
from refute.adversary.tables import of_kind
from tests.refute.adversary.property.workbench import brief_of

ROWS = (*of_kind("concept"), *of_kind("phrase"))
MATCHING = [(row["name"], text) for row in ROWS for text in row["says"]]
OTHERS = [(row["name"], row["not"]) for row in ROWS]
SILENCING = [(row, text) for kind in ("doubt", "restricts", "special") for row in of_kind(kind) for text in row["says"]]


def _labels(example: str) -> set[str]:
    """The labels of the tests that are written for a signature and a claim."""
    signature, claim = example.split(" | ", 1)
    code = f"def {signature}:\n    return 1\n\ndef g(text: str):\n    return text\n"
    attack = PropertyTester().write_tests(brief_of(code, [claim if "f()" in claim else f"`f`: {claim}"]))
    return set(re.findall(r"recognised phrase: (.+)", attack.source))


@pytest.mark.parametrize(("name", "example"), MATCHING)
def test_a_row_matches_its_examples(name: str, example: str) -> None:
    assert name in _labels(example)


@pytest.mark.parametrize(("name", "example"), OTHERS)
def test_a_row_leaves_other_claims_alone(name: str, example: str) -> None:
    assert name not in _labels(example)


@pytest.mark.parametrize("claim", ["`other` never raises an exception.", "other(text) never raises."])
def test_what_is_said_of_other_code_is_not_said_of_the_only_function(claim: str) -> None:
    code = 'def f(text: str):\n    """First.\n\n    >>> f(\'ab\')\n    \'a\'\n    """\n    return text[0]\n'
    assert not PropertyTester().write_tests(brief_of(code, [claim])).tests


@pytest.mark.parametrize(("row", "text"), SILENCING)
def test_words_keep_rows_silent(row: dict[str, re.Pattern[str]], text: str) -> None:
    assert row["pattern"].search(text)
    assert not row["pattern"].search(str(row["not"]))


def test_of_several_words_that_keep_a_row_silent_the_first_is_told_in_every_process() -> None:
    claims = [f"`order` gives {n} for an empty list." for n in range(9)]
    brief = brief_of(
        "def order(xs: list[int]):\n    return xs\n", ["`order` returns the elements of xs in sorted order.", *claims]
    )
    assert "'gives 0 for an empty list'" in PropertyTester().write_tests(brief).untestable[0].reason


def test_there_are_at_most_eight_phrases() -> None:
    assert len(of_kind("phrase")) <= 8
