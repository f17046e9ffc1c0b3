"""What claims show by example decides without a vote: for the code and for the test alike."""

import pytest

from refute.adversary.attack import TriageVerdict
from refute.adversary.oracle.question import Situation
from refute.adversary.oracle.without_vote import decided_without_vote, published_examples
from tests.refute.adversary.conftest import make_brief, make_test, make_triaged

MODULE = 'def digits(n):\n    """>>> digits(7)\n    14\n    """\n\n\nclass Box:\n    pass\n'
TEXTS = (
    ("`digits(235) == 15` and digits(0) returns 0.", {"digits(235)": 15, "digits(0)": 0}),
    ("The product of the digits.\n>>> digits(235)\n15\n>>> x = 3\n>>> digits(x)\n6\n", {"digits(235)": 15}),
    ("digits(4) == 4; elsewhere digits(4) == 5; other(3) == 2.", {}),
    ("digits(-1) raises ValueError.", {}),
)
CLAIM = make_brief().ticket.claims[0]
REFUTED = make_triaged(make_test("test_a"), TriageVerdict.REFUTED)
PUBLISHED = {"digits(235)": (CLAIM, Situation(code="result = digits(235)", expected=15))}


@pytest.mark.parametrize(("text", "examples"), TEXTS)
def test_calls_with_plain_arguments_of_known_functions_are_published_by_claims(text, examples):
    brief = make_brief(text, source=MODULE)
    found = published_examples(brief.ticket.claims, brief.modules)
    assert {call: one.expected for call, (_, one) in found.items()} == examples


@pytest.mark.parametrize(
    ("expected", "verdict"), [(30, TriageVerdict.INVALID), (15, TriageVerdict.REFUTED), (15.0, TriageVerdict.REFUTED)]
)
@pytest.mark.parametrize("code", ["result = digits(235)", "from impl import digits\nresult = impl.digits(235)"])
def test_a_published_example_decides_for_or_against_the_test(code, expected, verdict):
    situation = Situation(code=code, expected=expected, came="15")
    decided = decided_without_vote(REFUTED, situation, PUBLISHED, [])
    assert decided.verdict is verdict
    assert "the published example digits(235) == 15" in decided.reason


@pytest.mark.parametrize(
    "code", ["result = digits(236)", "box = Box()\nresult = box.digits(235)", "x = 235\nresult = digits(x)"]
)
def test_of_other_input_or_more_than_one_call_it_says_nothing(code):
    assert decided_without_vote(REFUTED, Situation(code=code, expected=1, came="2"), PUBLISHED, []) is None
