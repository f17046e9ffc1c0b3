from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from refute.adversary.attack import Origin, Rejected, Screening, TestEnd, TriageVerdict, Untested
from refute.adversary.judgement.conclusions import claim_results, refutations
from refute.outcome import ClaimResult, ClaimVerdict
from refute.ticket.record import ClaimId
from tests.refute.adversary.conftest import make_attack, make_brief, make_run, make_test, make_triaged

V = TriageVerdict
HALVES = "biggest returns the greatest element; it raises ValueError when empty"
SOURCE = "def test_a():\n    import impl\n    assert impl.double(2) == 4\n"


def concluded(
    *verdicts: TriageVerdict, tampering: Sequence[str] = (), origin: Origin = Origin.MODEL, rejected: bool = False
) -> ClaimResult:
    tests = [make_test(f"test_{i}", origin=origin) for i, _ in enumerate(verdicts)]
    triaged = [make_triaged(test, verdict) for test, verdict in zip(tests, verdicts, strict=True)]
    refused = (Rejected(test=make_test("test_r"), reason="sleeps time.sleep"),) if rejected else ()
    screening = Screening(attack=make_attack("", tests), rejected=refused)
    (result,) = claim_results(make_brief(), triaged, screening, tampering=tampering)
    return result


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([V.SURVIVED, V.REFUTED, V.NEEDS_REVIEW], ClaimVerdict.REFUTED),
        ([V.SURVIVED, V.NEEDS_REVIEW], ClaimVerdict.INCONCLUSIVE),
        ([V.FLAKY], ClaimVerdict.INCONCLUSIVE),
        ([V.INVALID, V.FLAKY], ClaimVerdict.INCONCLUSIVE),
        ([V.INVALID, V.INVALID], ClaimVerdict.UNTESTED),
        ([V.SURVIVED, V.FLAKY, V.INVALID], ClaimVerdict.SURVIVED),
        ([V.SURVIVED], ClaimVerdict.SURVIVED),
        ([], ClaimVerdict.UNTESTED),
    ],
)
def test_a_claim_is_what_the_worst_of_its_tests_says(verdicts: list[TriageVerdict], expected: ClaimVerdict) -> None:
    assert concluded(*verdicts).verdict is expected


PAIR = "def words(text):\n    return text.split()\n\n\ndef pick(items):\n    return items[0]\n"


@pytest.mark.parametrize(
    ("claim", "tests", "left"),
    [
        ("`words` and `pick` are kept.", "def test_a():\n    assert impl.words('a')\n", ("pick",)),
        (
            "`words` and `pick` are kept.",
            "def f(x):\n    return pick(words(x))\ndef test_a():\n    assert f('a')\n",
            (),
        ),
        ("words(pick(x)) is kept.", "def test_a():\n    assert pick('a')\n", ("words",)),
        ("`pick` is kept.", "def test_a():\n    assert impl.words('a')\n", ()),
    ],
    ids=["one of two", "through a helper", "calls", "one alone"],
)
def test_a_claim_of_two_functions_of_which_one_is_never_called_survived_in_part(
    claim: str, tests: str, left: tuple[str, ...]
) -> None:
    test = make_test("test_a", quote=claim)
    screening = Screening(attack=make_attack(tests, [test]), rejected=())
    (result,) = claim_results(make_brief(claim, source=PAIR), [make_triaged(test)], screening, tampering=())
    assert result.open_clauses == left
    assert result.verdict is (ClaimVerdict.SURVIVED_IN_PART if left else ClaimVerdict.SURVIVED)


@pytest.mark.parametrize(
    ("lost", "left"),
    [
        ({"untested_of": ClaimId("C1")}, "unch"),
        ({"untested_of": ClaimId("C2")}, ""),
        ({"rejected": Origin.FIELD}, "what test_lost tests"),
        ({"invalid": Origin.AUTHOR_EXAMPLE}, "what test_lost tests"),
        ({"rejected": Origin.MODEL, "invalid": Origin.CLAIM_EXAMPLE}, ""),
    ],
)
def test_a_claim_with_a_field_that_says_nothing_survived_in_part(lost: dict[str, Any], left: str) -> None:
    ids = [lost.pop("untested_of")] if "untested_of" in lost else []
    claims = [replace(make_brief().ticket.claims[0], id=claim_id) for claim_id in ids]
    fields = tuple(Untested(claim=claim, field="unchanged, f", reason="no inputs") for claim in claims)
    mute = {how: make_test("test_lost", origin=origin) for how, origin in lost.items()}
    ends = [(make_test("test_a"), V.SURVIVED), *((test, V.INVALID) for how, test in mute.items() if how == "invalid")]
    triaged = [make_triaged(test, end) for test, end in ends]
    rejected = tuple(Rejected(test=test, reason="sleeps") for how, test in mute.items() if how == "rejected")
    screening = Screening(attack=replace(make_attack("", []), untested_fields=fields), rejected=rejected)
    (result,) = claim_results(make_brief(), triaged, screening, tampering=())
    assert result.verdict is (ClaimVerdict.SURVIVED_IN_PART if left else ClaimVerdict.SURVIVED)
    assert "".join(result.open_clauses).startswith(left)


@pytest.mark.parametrize(("other", "left"), [("unchanged, f", False), ("unchanged, g", True), ("", True)])
def test_a_way_to_call_that_a_condition_leaves_out_is_not_lost_beside_another(other: str, left: bool) -> None:
    one, two = (replace(make_test("test_a", origin=Origin.EARLIER), field=field) for field in (other, "unchanged, f"))
    left_out = make_run(error_type="hypothesis.errors.Unsatisfiable")
    triaged = [make_triaged(one, V.SURVIVED), make_triaged(two, V.INVALID, run=left_out)]
    screening = Screening(attack=make_attack("", []), rejected=())
    (result,) = claim_results(make_brief(), triaged, screening, tampering=())
    assert bool(result.open_clauses) is left


@pytest.mark.parametrize(
    ("tests", "left"),
    [
        ([("greatest element", Origin.MODEL), ("raises ValueError", Origin.MODEL)], ()),
        ([("raises ValueError", Origin.MODEL)], (0,)),
        ([(HALVES, Origin.MODEL)], (1,)),
        ([(HALVES, Origin.PHRASE)], ()),
        ([("greatest element", Origin.AUTHOR_EXAMPLE), ("raises ValueError", Origin.PHRASE)], (0,)),
        ([("greatest element", Origin.AUTHOR_EXAMPLE), ("raises ValueError", Origin.AUTHOR_EXAMPLE)], ()),
        ([("greatest element", Origin.MODEL), ("attested: raises ValueError", Origin.MODEL)], (0,)),
    ],
)
def test_a_claim_of_which_no_independent_test_attacks_some_words_survived_in_part(
    tests: list[tuple[str, Origin]], left: tuple[int, ...]
) -> None:
    written = [
        make_test(f"test_{n}", quote=quote.removeprefix("attested: "), origin=origin)
        for n, (quote, origin) in enumerate(tests)
    ]
    runs = [make_run(f"test_{n}", attested=quote.startswith("attested: ")) for n, (quote, _) in enumerate(tests)]
    triaged = [make_triaged(one, run=run) for one, run in zip(written, runs, strict=True)]
    screening = Screening(attack=make_attack("", written), rejected=())
    (result,) = claim_results(make_brief(HALVES), triaged, screening, tampering=())
    assert result.verdict is (ClaimVerdict.SURVIVED_IN_PART if left else ClaimVerdict.SURVIVED)
    assert result.open_clauses == tuple(result.clauses[place] for place in left)


def test_a_claim_whose_test_the_code_answers_now_one_way_and_now_another_is_undecided() -> None:
    passed = make_triaged(make_test("test_b"))
    flaky = replace(make_triaged(make_test("test_a"), V.FLAKY), contested=True)
    screening = Screening(attack=make_attack("", [flaky.test, passed.test]), rejected=())
    (result,) = claim_results(make_brief(), [flaky, passed], screening, tampering=())
    assert (result.verdict, result.decided_by) == (ClaimVerdict.INCONCLUSIVE, "test_a")


def test_tampering_makes_passes_worthless_and_leaves_refutations_alone() -> None:
    assert concluded(V.SURVIVED, tampering=["a canary lied"]).verdict is ClaimVerdict.INCONCLUSIVE
    assert concluded(V.REFUTED, tampering=["a canary lied"]).verdict is ClaimVerdict.REFUTED


def test_only_tests_whose_expectation_the_author_did_not_write_are_independent() -> None:
    assert concluded(V.SURVIVED, origin=Origin.AUTHOR_EXAMPLE).independent_tests == 0
    assert concluded(V.SURVIVED, V.INVALID, origin=Origin.PHRASE).independent_tests == 1


def test_a_claim_that_survived_names_the_tests_that_count_most_for_it() -> None:
    weights = {"author": (Origin.AUTHOR_EXAMPLE, True), "forgeable": (Origin.PHRASE, False)}
    weights |= {"attested": (Origin.PHRASE, True), "second": (Origin.MODEL, True)}
    triaged = [
        make_triaged(make_test(name, origin=origin), run=make_run(name, TestEnd.PASSED, attested=attested))
        for name, (origin, attested) in weights.items()
    ]
    screening = Screening(attack=make_attack("", [one.test for one in triaged]), rejected=())
    (result,) = claim_results(make_brief(), triaged, screening, tampering=())
    assert result.supported_by == ("attested", "second", "forgeable")
    assert result.decided_by == "attested"
    assert concluded(V.SURVIVED, V.REFUTED).supported_by == ()


def test_an_untested_claim_says_why() -> None:
    brief = make_brief("a claim", "another claim")
    untestable = Untested(claim=brief.ticket.claims[1], reason="speaks of beauty")
    screening = Screening(attack=replace(make_attack("", []), untestable=(untestable,)), rejected=())
    assert [one.reason for one in claim_results(brief, (), screening, tampering=())] == [
        "no test was written for it",
        "speaks of beauty",
    ]
    assert "sleeps time.sleep" in concluded(rejected=True).reason


def test_a_refutation_carries_all_its_evidence() -> None:
    drawn = "/attack/test_a.py:57: in test_a\n    @given(x=st.integers())\n                   ^^^\n"
    run = make_run(traceback=f"{drawn}E assert", smallest_input="x=1")
    test = make_test("test_a")
    triaged = [make_triaged(test, V.REFUTED, run), make_triaged(make_test("test_b"))]
    brief = make_brief()
    (failure,) = refutations(triaged, Screening(attack=make_attack(SOURCE, [test]), rejected=()), brief)
    assert (failure.test_name, failure.claim_violated, failure.error_type) == ("test_a", "C1", "AssertionError")
    assert (failure.error_message, failure.traceback, failure.smallest_input) == ("assert 1 == 2", "E assert", "x=1")
    assert failure.claim_text == brief.ticket.claims[0].text
    assert "test_a" in failure.reproducer
