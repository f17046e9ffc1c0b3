"""What the text alone shows, and what it does not claim to show."""

import dataclasses

import pytest

from refute.critics.text_critic import read_text
from tests.refute.adversary.conftest import make_brief

SOURCE = "def double(n):\n    return 2 * n\n"
SCRIPT = {"verify.sh": b"python -c 'from impl import double; assert double(2) == 4'\n"}


def said(*claims: str, files=SCRIPT, **fields) -> list[str]:
    brief = make_brief(*claims)
    modules = tuple(dataclasses.replace(one, source=SOURCE) for one in brief.modules)
    brief = dataclasses.replace(brief, modules=modules, ticket=dataclasses.replace(brief.ticket, **fields))
    return [one.description for one in read_text(brief, files).failures]


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("double(n) returns twice n.", []),
        ("triple(n) returns three times n.", ["C1 speaks of triple(), which the code does not have"]),
        ("len(x) and x.items() are others'.", []),
    ],
)
def test_a_function_that_a_claim_names_must_be_there(claim, told):
    assert said(claim) == told


def test_a_claim_is_untested_where_nothing_beside_the_code_mentions_its_function():
    assert said("double(n) returns twice n.", files={"impl.py": SOURCE.encode(), "verify.sh": b"true\n"}) == [
        "C1 is untested: no test or script of the author's mentions double()"
    ]


@pytest.mark.parametrize(
    ("criterion", "told"),
    [("Negative numbers are doubled.", ["success criterion S1 has no claim"]), ("It returns twice the number.", [])],
)
def test_a_success_criterion_wants_a_claim(criterion, told):
    assert said("double(n) returns twice n.", success_criteria=(criterion,)) == told
