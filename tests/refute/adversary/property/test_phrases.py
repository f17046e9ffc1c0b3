"""Each row of phrases.toml by its own examples: what it must match, and what it must leave alone."""

import re

import pytest

from refute.adversary.property import PropertyTester
from refute.adversary.property.phrase_table import rows, table
from tests.refute.adversary.property.workbench import brief_of

MATCHING = [(row.name, text) for row in rows() for text in row.matches]
OTHERS = [(row.name, row.refuses) for row in rows()]


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


def test_there_are_at_most_eight_phrases() -> None:
    assert len(table()["phrase"]) <= 8
