"""A pass counts only where the implementation was asked something, if asking is all that the test does with it."""

import pytest

from refute.adversary.attack import Origin, TestEnd, TriagedTest, TriageVerdict
from refute.adversary.judgement.triage import triage_tests
from tests.refute.adversary.conftest import make_attack, make_attack_run, make_brief, make_run, make_test

EMPTY = "CASES = []\ndef test_a():\n    for x in CASES:\n        assert impl.double(x) == 4\n"


def triaged(source: str, *, reached: bool = False, origin: Origin = Origin.MODEL) -> TriagedTest:
    attack = make_attack(
        f"import impl\nfrom impl import double, Color, LIMIT\n{source}", [make_test("test_a", origin=origin)]
    )
    run = make_attack_run([make_run("test_a", TestEnd.PASSED, reached_implementation=reached)])
    (one,) = triage_tests(run, attack, make_brief(), repetitions=2)
    return one


@pytest.mark.parametrize(
    "source",
    [
        EMPTY,
        "def test_a():\n    check = lambda: impl.double(2) == 4\n    assert check\n",
        "OFF = False\ndef test_a():\n    if OFF:\n        assert double(2) == 4\n",
    ],
)
def test_a_pass_without_any_of_the_calls_that_a_test_consists_of_is_none(source: str) -> None:
    one = triaged(source)
    assert (one.verdict, one.reason) == (TriageVerdict.INVALID, "passed without ever calling what it is about")
    assert triaged(source, reached=True).verdict is TriageVerdict.SURVIVED


@pytest.mark.parametrize(
    "source",
    [
        "def test_a():\n    assert impl.LIMIT == 3\n",
        "def test_a():\n    assert LIMIT == 3 or double(2) == 4\n",
        "def test_a():\n    assert Color('red').name == 'RED'\n",
        "def test_a():\n    assert impl.TABLE.get('a') == 1\n",
        "RESULT = impl.double(2)\ndef test_a():\n    assert RESULT == 4\n",
    ],
    ids=["constant", "constant first", "member", "plain data", "asked at import"],
)
def test_what_can_be_decided_without_a_call_counts(source: str) -> None:
    assert triaged(source).verdict is TriageVerdict.SURVIVED


def test_an_author_may_write_what_they_like() -> None:
    assert triaged(EMPTY, origin=Origin.AUTHOR_EXAMPLE).verdict is TriageVerdict.SURVIVED
