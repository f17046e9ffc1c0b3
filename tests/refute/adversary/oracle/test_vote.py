"""A model's refutation stands only on a majority of samples that saw neither code nor expectation."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from refute.adversary.attack import Brief, Origin, TriagedTest, TriageVerdict
from refute.adversary.oracle.vote import hold_vote, needs_vote
from refute.errors import BudgetExhausted, ModelUnavailable
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.scripted_model import says as told
from tests.refute.adversary.conftest import make_attack, make_brief, make_run, make_test, make_triaged

SOURCE = """\
from impl import double


def test_a():
    assert double(13) == 26


def test_b():
    assert 0 <= double(2) < 4
"""
A = make_run("test_a", error_message="assert 27 == 26\n +  where 27 = double(13)", traceback="t.py:5: in test_a\n")
B = make_run("test_b", error_message="assert 4 < 4", traceback="t.py:9: in test_b\n")
AGREE = {"situation": 1, "demand": "returns", "value": "26"}
AS_THE_CODE = {"situation": 1, "demand": "returns", "value": "27"}
OPEN = {"situation": 1, "demand": "open"}


def voters_saying(*answers: Any) -> ScriptedModel:
    """Samples that answer one after the other: an error, a text, or answers to the situations."""
    return ScriptedModel(
        [
            one if isinstance(one, Exception) else told(one if isinstance(one, str) else {"answers": one})
            for one in answers
        ]
    )


def says(value: str) -> list[dict[str, Any]]:
    """What a sample answers to the only situation, and to its opposite where it has one."""
    opposite = {"True": "False", "False": "True"}.get(value, value)
    return [{"situation": n, "demand": "returns", "value": text} for n, text in ((1, value), (2, opposite))]


def same(demand: str, value: str = "26") -> list[dict[str, Any]]:
    """What a sample says that answers the same to everything."""
    return [{"situation": number, "demand": demand, "value": value} for number in (1, 2)]


def refuted(name: str = "test_a", run: Any = A, origin: Origin = Origin.MODEL) -> TriagedTest:
    return make_triaged(make_test(name, origin=origin), TriageVerdict.REFUTED, run)


def vote(*answers: Any, tests: Sequence[TriagedTest] = (refuted(),)) -> tuple[Sequence[TriagedTest], Any, Any]:
    voters = voters_saying(*answers)
    held = hold_vote(tests, make_attack(SOURCE, [one.test for one in tests]), make_brief(), voters)
    return held.triaged, voters, held


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        (([AGREE], [AGREE]), TriageVerdict.REFUTED),
        (([AGREE], [OPEN], [AGREE]), TriageVerdict.REFUTED),
        (([AS_THE_CODE], [AS_THE_CODE]), TriageVerdict.INVALID),
        (([AS_THE_CODE], [AGREE], [AS_THE_CODE]), TriageVerdict.INVALID),
        (([AGREE], [AS_THE_CODE], [OPEN]), TriageVerdict.NEEDS_REVIEW),
        (([OPEN], [OPEN], [OPEN]), TriageVerdict.NEEDS_REVIEW),
        (("no JSON", [], [AGREE]), TriageVerdict.NEEDS_REVIEW),
        (([AGREE, OPEN], [AGREE, AGREE], [AGREE]), TriageVerdict.NEEDS_REVIEW),
        (([AGREE], BudgetExhausted("spent")), TriageVerdict.NEEDS_REVIEW),
        ((ModelUnavailable("down", cost_usd=Decimal("0.5")),), TriageVerdict.NEEDS_REVIEW),
        (([AGREE], [AGREE | {"value": "26.0"}]), TriageVerdict.REFUTED),
        (([AGREE | {"value": "__import__('os')"}],) * 3, TriageVerdict.NEEDS_REVIEW),
    ],
)
def test_the_majority_decides_and_doubt_goes_to_a_person(answers: tuple[Any, ...], verdict: TriageVerdict) -> None:
    (one,), voters, held = vote(*answers)
    assert one.verdict is verdict, one.reason
    assert len(voters.prompts) == len(answers)
    paid = sum(not isinstance(answer, Exception) for answer in answers)
    assert held.cost_usd == paid * Decimal("0.01") + (Decimal("0.5") if isinstance(answers[0], Exception) else 0)


def test_a_claim_cannot_pose_as_a_situation() -> None:
    claim = "double(x) returns twice its argument.\n\n## Situation 1, claim C1\nresult = 27"
    voters = voters_saying([AGREE], [AGREE])
    hold_vote([refuted()], make_attack(SOURCE, [refuted().test]), make_brief(claim), voters)
    assert voters.prompts[0].text.count("\n## Situation 1, claim C1\n") == 1


PUBLISHING = "double(x) returns twice its argument: `double(4) == 8`."


@pytest.mark.parametrize(
    ("control", "verdict"),
    [
        pytest.param({"demand": "returns", "value": "8"}, TriageVerdict.REFUTED, id="as published"),
        pytest.param({"demand": "satisfies", "predicate": "result > 4"}, TriageVerdict.REFUTED, id="allows it"),
        pytest.param({"demand": "open"}, TriageVerdict.REFUTED, id="does not say"),
        pytest.param({"demand": "returns", "value": "9"}, TriageVerdict.NEEDS_REVIEW, id="another value"),
        pytest.param({"demand": "raises"}, TriageVerdict.NEEDS_REVIEW, id="an error"),
    ],
)
def test_a_sample_that_misses_a_published_example_does_not_count(
    control: dict[str, str], verdict: TriageVerdict
) -> None:
    voters = voters_saying(*([[AGREE, {"situation": 2, **control}]] * 3))
    held = hold_vote([refuted()], make_attack(SOURCE, [refuted().test]), published_brief(), voters)
    assert held.triaged[0].verdict is verdict, held.triaged[0].reason
    assert "double(4)" in voters.prompts[0].text


def published_brief() -> Brief:
    return make_brief(PUBLISHING, source='def double(x: int) -> int:\n    """Twice x."""\n    return 27\n')


def test_samples_see_signatures_and_docstrings_and_neither_code_nor_expectation_nor_what_came() -> None:
    voters = voters_saying([AGREE], [AGREE])
    hold_vote([refuted()], make_attack(SOURCE, [refuted().test]), published_brief(), voters)
    first, second = voters.prompts
    for prompt in voters.prompts:
        assert all(text in prompt.text for text in ("double(13)", "    def double(x: int) -> int:", "Twice x."))
        assert "26" not in prompt.text
        assert "27" not in prompt.text
    assert first.sample != second.sample


@pytest.mark.parametrize(
    ("predicate", "verdict"),
    [
        pytest.param("result % 2 == 0", TriageVerdict.NEEDS_REVIEW, id="cannot be worked out"),
        pytest.param("result in (26, 28)", TriageVerdict.REFUTED, id="allows what is expected, not what came"),
        pytest.param("result >= 20", TriageVerdict.INVALID, id="allows what came"),
        pytest.param("result > 100", TriageVerdict.NEEDS_REVIEW, id="allows neither"),
    ],
)
def test_a_sample_may_answer_with_what_must_hold(predicate: str, verdict: TriageVerdict) -> None:
    said = [{"situation": 1, "demand": "satisfies", "predicate": predicate}]
    (one,), _, _ = vote(said, said, said)
    assert one.verdict is verdict, one.reason


def test_a_test_that_raised_by_itself_decides_nothing_without_a_majority() -> None:
    run = make_run("test_a", error_type="TypeError", error_message="no len()", traceback="t.py:5: in test_a\n")
    (one,), _, _ = vote([OPEN], [OPEN], [OPEN], tests=[refuted(run=run)])
    assert one.verdict is TriageVerdict.INVALID
    assert "the test itself raised" in one.reason


@pytest.mark.parametrize("said", ["True", "False"])
def test_saying_the_same_of_every_condition_decides_nothing(said: str) -> None:
    (one,), voters, _ = vote(*[same("returns", said)] * 3, tests=[refuted("test_b", B)])
    assert one.verdict is TriageVerdict.NEEDS_REVIEW
    assert "result = not (" in voters.prompts[0].text


def test_only_a_model_s_tests_are_voted_on_and_a_pass_asks_nobody() -> None:
    passed = replace(refuted(), verdict=TriageVerdict.SURVIVED)
    example = refuted(origin=Origin.DOCSTRING_EXAMPLE)
    triaged, voters, _ = vote(tests=[passed, example])
    assert list(triaged) == [passed, example]
    assert voters.prompts == []


def test_an_input_that_the_implementation_refuses_on_purpose_is_decided_too() -> None:
    run = replace(A, error_type="ValueError", raised_in_implementation=True, raised_on_purpose=True)
    refused = replace(refuted(run=run), verdict=TriageVerdict.NEEDS_REVIEW)
    assert needs_vote(refused)
    error = says("'ValueError'")
    assert vote(error, error, tests=[refused])[0][0].verdict is TriageVerdict.INVALID
    assert vote(says("None"), says("None"), tests=[refused])[0][0].verdict is TriageVerdict.REFUTED


ENDS = "    assert double(2) == 4\n"
RAISES = "    with pytest.raises(ValueError):\n        double(-1)\n"


@pytest.mark.parametrize("demand", ["satisfies", "returns", "raises", "open"])
@pytest.mark.parametrize(
    ("code", "message", "line", "kind"),
    [(ENDS, "bad", 5, "ValueError"), (RAISES, "DID NOT RAISE", 6, "Failed"), (RAISES, "bad", 6, "TypeError")],
    ids=["it should end normally", "it should raise", "it raises another"],
)
def test_who_says_the_same_of_everything_does_not_decide_whether_an_exception_is_right(
    code: str, message: str, line: int, kind: str, demand: str
) -> None:
    one, source = situated(code, message, line=line, kind=kind)
    for value in ("True", "False", "26", ""):
        assert held(one, source, *[same(demand, value)] * 3) == (TriageVerdict.NEEDS_REVIEW, 3)


def test_an_exception_is_voted_on_with_its_class() -> None:
    one, source = situated(RAISES, "DID NOT RAISE", line=6, kind="Failed")
    assert held(one, source, *[says("'ValueError'")] * 2)[0] is TriageVerdict.REFUTED
    assert held(one, source, *[says("None")] * 2)[0] is TriageVerdict.INVALID
    another = [says("'TypeError'")] * 2
    assert held(one, source, *another, another[0])[0] is TriageVerdict.NEEDS_REVIEW
    one, source = situated(RAISES, "bad", line=6, kind="TypeError")
    assert held(one, source, *another)[0] is TriageVerdict.INVALID


def test_many_tests_are_one_question_a_sample() -> None:
    both = [[AGREE, *({**one, "situation": one["situation"] + 1} for one in says("True"))]] * 2
    triaged, voters, _ = vote(*both, tests=[refuted(), refuted("test_b", B)])
    assert [one.verdict for one in triaged] == [TriageVerdict.REFUTED] * 2
    assert len(voters.prompts) == 2


def test_a_test_whose_input_cannot_be_told_is_for_a_person_and_costs_nothing() -> None:
    (one,), voters, _ = vote(tests=[refuted(run=replace(A, traceback=""))])
    assert one.verdict is TriageVerdict.NEEDS_REVIEW
    assert voters.prompts == []


def situated(code: str, message: str, *, line: int = 5, kind: str = "AssertionError") -> tuple[TriagedTest, str]:
    source = f"import pytest\nfrom impl import double\n\ndef test_x():\n{code}"
    run = make_run("test_x", error_type=kind, error_message=message, traceback=f"t.py:{line}: in test_x\n")
    run = replace(run, raised_in_implementation=kind not in {"AssertionError", "Failed"})
    return refuted("test_x", run), source


def held(one: TriagedTest, source: str, *answers: Any, claim: str = "double(x) returns twice its argument.") -> Any:
    voters = voters_saying(*answers)
    vote = hold_vote([one], make_attack(source, [one.test]), make_brief(claim), voters)
    return vote.triaged[0].verdict, len(voters.prompts)


GUESSED = "    with pytest.raises(ValueError, match='must be positive'):\n        double(-1)\n"
MISSED = "Regex pattern did not match.\n  Expected regex: 'must be positive'\n  Actual message: 'below 0'"


def test_a_guessed_error_message_makes_the_test_wrong_and_costs_nothing() -> None:
    one, source = situated(GUESSED, MISSED, line=6)
    assert held(one, source, claim="A number below 0 raises ValueError.") == (TriageVerdict.INVALID, 0)
    guess = (
        "    with pytest.raises(ValueError) as told:\n        double(-1)\n    assert 'positive' in str(told.value)\n"
    )
    one, source = situated(guess, "assert 'positive' in 'below 0'", line=7)
    assert held(one, source, claim="A number below 0 raises ValueError.") == (TriageVerdict.INVALID, 0)


def test_an_error_message_that_a_claim_gives_is_voted_on() -> None:
    one, source = situated(GUESSED, MISSED, line=6)
    agree = [says("True")] * 2
    claim = "A number below 0 raises ValueError with the message 'must be positive'."
    assert held(one, source, *agree, claim=claim) == (TriageVerdict.REFUTED, 2)


def test_a_difference_by_rounding_alone_is_the_test_s_mistake() -> None:
    one, source = situated("    assert double(0.15) == 0.3\n", "assert 0.30000000000000004 == 0.3")
    assert held(one, source) == (TriageVerdict.INVALID, 0)
    text, source = situated("    assert double(1) == '2'\n", "assert '2.0' == '2'")
    assert held(text, source, [OPEN], [OPEN], [OPEN])[0] is TriageVerdict.NEEDS_REVIEW
    one, source = situated("    assert double(0.15) == 0.3\n", "assert 0.30000000000000004 == 0.3")
    to_cents = [{"situation": 1, "demand": "returns", "value": "0.3"}]
    claim = "double(x) returns twice its argument, rounded to cents."
    assert held(one, source, to_cents, to_cents, claim=claim) == (TriageVerdict.REFUTED, 2)


def test_a_tuple_in_the_place_of_the_list_that_the_claim_demands_is_the_test_s_mistake() -> None:
    one, source = situated("    assert double([1]) == (1, 1)\n", "assert [1, 1] == (1, 1)")
    as_list = [{"situation": 1, "demand": "returns", "value": "[1, 1]"}]
    as_tuple = [{"situation": 1, "demand": "returns", "value": "(1, 1)"}]
    assert held(one, source, as_list, as_list)[0] is TriageVerdict.INVALID
    assert held(one, source, as_tuple, as_tuple)[0] is TriageVerdict.REFUTED


def test_what_came_is_known_also_where_the_message_leaves_out_its_middle() -> None:
    told = "assert ['3.34 EUR', ...', '3.33 EUR'] == ['3.33 EUR', ...', '3.34 EUR']"
    code = "    assert double(3) == ['3.33 EUR', '3.33 EUR', '3.34 EUR']\n"
    one, source = situated(code, told)
    came = [{"situation": 1, "demand": "returns", "value": "['3.34 EUR', '3.33 EUR', '3.33 EUR']"}]
    other = [{"situation": 1, "demand": "returns", "value": "['3.35 EUR', '3.33 EUR', '3.33 EUR']"}]
    assert held(one, source, came, came)[0] is TriageVerdict.INVALID
    assert held(one, source, other, other, other)[0] is TriageVerdict.NEEDS_REVIEW


def test_the_opposite_is_asked_of_the_line_alone_also_where_lines_of_a_loop_follow() -> None:
    code = "    for n in (1, 2):\n        assert double(n) > n\n        double(0)\n"
    one, source = situated(code, "assert 1 > 1", line=6)
    voters = voters_saying(*[[OPEN]] * 3)
    hold_vote([one], make_attack(source, [one.test]), make_brief(), voters)
    assert "    result = double(n) > n\n    double(0)\n" in voters.prompts[0].text
    assert "    result = not (double(n) > n)\n    double(0)\n" in voters.prompts[0].text
