"""`decide`: every combination that changes a ticket's status, and the sentences that explain it."""

import itertools
from dataclasses import replace
from typing import Any

import pytest

from refute.adversary.attack import (
    AttackRun,
    AttackTest,
    Category,
    Origin,
    TestEnd,
    TestRun,
    TriagedTest,
    TriageVerdict,
)
from refute.adversary.strength.record import ShallowClaim, Strength
from refute.outcome import ClaimResult, ClaimVerdict, Status
from refute.statistics.interval import wilson
from refute.ticket.record import ClaimId
from refute.verdict import Verdict, decide

SURVIVED, REFUTED = TriageVerdict.SURVIVED, TriageVerdict.REFUTED
FLAKY, INVALID, REVIEW = TriageVerdict.FLAKY, TriageVerdict.INVALID, TriageVerdict.NEEDS_REVIEW


def triaged(
    verdict: TriageVerdict,
    *,
    claim: str = "C1",
    origin: Origin = Origin.PHRASE,
    end: TestEnd | None = None,
    name: str = "",
) -> TriagedTest:
    name = name or f"test_{claim.lower()}_{verdict.value}"
    end = end or (TestEnd.PASSED if verdict is SURVIVED else TestEnd.FAILED)
    return TriagedTest(
        test=AttackTest(
            name=name,
            claim_id=ClaimId(claim),
            quote="q",
            category=Category.EDGE,
            origin=origin,
            tester="property",
        ),
        verdict=verdict,
        reason=f"why {verdict.value}",
        run=TestRun(name=name, end=end),
    )


def claim(verdict: ClaimVerdict, claim_id: str = "C1") -> ClaimResult:
    return ClaimResult(claim_id=ClaimId(claim_id), text="It works.", verdict=verdict, reason="because", tests_run=2)


def ran(*tests: TriagedTest, tampering: tuple[str, ...] = (), timed_out: bool = False) -> AttackRun:
    return AttackRun(
        first=tuple(test.run for test in tests),
        repetitions=(),
        tampering=tampering,
        output="",
        duration_s=1.0,
        timed_out=timed_out,
    )


def judge(
    claims: list[ClaimResult],
    tests: list[TriagedTest],
    *,
    tampering: tuple[str, ...] = (),
    timed_out: bool = False,
    strength: Strength | None = None,
) -> Verdict:
    run = ran(*tests, tampering=tampering, timed_out=timed_out)
    return decide(claims, tests, run, attack_timeout_s=600, strength=strength)


def measured(killed: int, n: int = 30, **facts: Any) -> Strength:
    low, high = wilson(killed, n)
    fields: dict[str, Any] = {"n": n, "killed": killed, "killed_by_claims_only": killed, "low": low, "high": high}
    return Strength(**(fields | {"floor": 0.6, "drawn": n} | facts))


ATTESTED = ClaimResult(
    claim_id=ClaimId("C1"),
    text="It works.",
    verdict=ClaimVerdict.SURVIVED,
    reason="because",
    tests_run=2,
    independent_tests=1,
    attested_tests=1,
)


TAMPERED: dict[str, Any] = {"tampering": ("x",)}
TIMED_OUT: dict[str, Any] = {"timed_out": True}


def each(text: str) -> list[list[str]]:
    """`C1 survived, C2 flaky` → claim and word of each."""
    return [one.split() for one in text.split(", ") if one]


@pytest.mark.parametrize(
    ("claims", "tests", "facts", "expected"),
    [
        # What is refuted fails, whatever else holds.
        ("C1 refuted", "C1 refuted", {}, Status.FAILED_ADVERSARIAL),
        ("C1 survived, C2 refuted", "C1 survived, C2 survived, C2 refuted", {}, Status.FAILED_ADVERSARIAL),
        ("C1 refuted", "", {}, Status.FAILED_ADVERSARIAL),
        ("C1 survived", "C1 refuted", {}, Status.FAILED_ADVERSARIAL),
        ("C1 refuted", "C1 refuted", TAMPERED, Status.FAILED_ADVERSARIAL),
        ("C1 refuted", "C1 refuted", TIMED_OUT, Status.FAILED_ADVERSARIAL),
        ("C1 refuted, C2 inconclusive", "C1 refuted, C2 needs_review", {}, Status.FAILED_ADVERSARIAL),
        # A doubt leaves it to a person.
        ("C1 survived", "C1 survived", TAMPERED, Status.INCONCLUSIVE),
        ("C1 inconclusive", "C1 flaky", {}, Status.INCONCLUSIVE),
        ("C1 inconclusive", "C1 needs_review", {}, Status.INCONCLUSIVE),
        ("C1 survived", "C1 survived, C1 needs_review", {}, Status.INCONCLUSIVE),
        # So does nothing that attacked.
        ("C1 untested", "", {}, Status.INCONCLUSIVE),
        ("C1 untested", "", TIMED_OUT, Status.FAILED_TIMEOUT),
        ("", "", {}, Status.INCONCLUSIVE),
        ("C1 survived", "", {}, Status.INCONCLUSIVE),
        # Then time counts, and what is left is weak.
        ("C1 survived", "C1 survived", TIMED_OUT, Status.FAILED_TIMEOUT),
        ("C1 survived", "C1 survived", {}, Status.PASS_WEAK),
        ("C1 survived", "C1 survived, C1 flaky", {}, Status.PASS_WEAK),
        ("C1 survived", "C1 survived, C1 invalid", {}, Status.PASS_WEAK),
    ],
)
def test_the_first_status_in_the_order_of_precedence_wins(
    claims: str, tests: str, facts: dict[str, Any], expected: Status
) -> None:
    verdict = judge(
        [claim(ClaimVerdict(word), claim_id) for claim_id, word in each(claims)],
        [triaged(TriageVerdict(word), claim=claim_id) for claim_id, word in each(tests)],
        **facts,
    )
    assert verdict.status is expected
    assert verdict.reason


def test_a_claim_that_survived_in_part_makes_a_strong_attack_weak_and_says_its_words() -> None:
    part = replace(claim(ClaimVerdict.SURVIVED_IN_PART), attested_tests=1, open_clauses=("it raises\n  ValueError",))
    verdict = judge([part], [triaged(SURVIVED)], strength=STRONG)
    assert verdict.status is Status.PASS_WEAK
    assert 'C1 survived in part: no independent test attacks "it raises ValueError"' in verdict.reason


def test_no_combination_of_facts_is_a_plain_pass_and_only_clean_ones_are_weak() -> None:
    kinds = list(TriageVerdict)
    for claimed, first, second, tampered, timed_out in itertools.product(
        ClaimVerdict, kinds, kinds, (False, True), (False, True)
    ):
        tests = [triaged(first), triaged(second, name="test_other")]
        verdict = judge([claim(claimed)], tests, tampering=("x",) if tampered else (), timed_out=timed_out)
        assert verdict.status is not Status.PASS
        if verdict.status is Status.PASS_WEAK:
            assert claimed.survived
            assert SURVIVED in {first, second}
            assert not {REFUTED, REVIEW} & {first, second}
            assert not tampered
            assert not timed_out
        assert (verdict.status is Status.FAILED_ADVERSARIAL) == (
            claimed is ClaimVerdict.REFUTED or REFUTED in {first, second}
        )


def test_without_a_run_nothing_can_pass() -> None:
    verdict = decide([claim(ClaimVerdict.SURVIVED)], [triaged(SURVIVED)], None, attack_timeout_s=600)
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reason == "no test attacked any claim"


def test_a_test_cut_off_by_the_suites_limit_is_a_matter_of_time_and_not_of_doubt() -> None:
    tests = [triaged(SURVIVED), triaged(REVIEW, claim="C2", end=TestEnd.TIMED_OUT, name="test_hangs")]
    claims = [claim(ClaimVerdict.SURVIVED), claim(ClaimVerdict.INCONCLUSIVE, "C2")]
    verdict = judge(claims, tests, timed_out=True)
    assert verdict.status is Status.FAILED_TIMEOUT
    assert verdict.reason == "the attack was stopped at its limit of 600 s, at test test_hangs"


def test_a_time_out_without_an_unfinished_test_names_the_slowest_one() -> None:
    verdict = judge([claim(ClaimVerdict.SURVIVED)], [triaged(SURVIVED)], timed_out=True)
    assert "the slowest test was test_c1_survived (0.0 s)" in verdict.reason


def test_tests_that_were_set_aside_are_caveats_in_the_order_of_the_ticket() -> None:
    tests = [
        triaged(FLAKY, claim="C10"),
        triaged(SURVIVED, claim="C10"),
        triaged(INVALID, claim="C2"),
        triaged(INVALID, claim="C2", name="test_second"),
        triaged(SURVIVED, claim="C2"),
    ]
    claims = [claim(ClaimVerdict.SURVIVED, "C2"), claim(ClaimVerdict.SURVIVED, "C10")]
    assert judge(claims, tests).caveats == (
        "C2: 2 tests invalid: test_c2_invalid: why invalid (and 1 more)",
        "C10: 1 test flaky: test_c10_flaky: why flaky",
    )


def test_a_refutation_names_its_claims_and_keeps_the_tampering_as_a_caveat() -> None:
    claims = [claim(ClaimVerdict.REFUTED, f"C{number}") for number in range(1, 8)]
    verdict = judge(claims, [], tampering=("a canary lied",))
    assert verdict.reason == "7 of 7 claims refuted: C1, C2, C3, C4, C5 and 2 more"
    assert "tampering: a canary lied" in verdict.caveats


def test_one_doubt_is_told_once_however_many_claims_it_touches() -> None:
    claims = [claim(ClaimVerdict.INCONCLUSIVE), claim(ClaimVerdict.INCONCLUSIVE, "C2")]
    tampered = judge(claims, [triaged(SURVIVED)], tampering=("a canary lied", "ids differ"))
    assert tampered.reason == "the test run was tampered with: a canary lied (and 1 more)"
    review = judge(claims, [triaged(REVIEW), triaged(FLAKY, claim="C2")])
    assert review.reason == "a person must judge test_c1_needs_review: why needs_review; claim C2 is undecided: because"


def test_a_strong_attack_on_every_claim_by_independent_attested_tests_makes_a_pass() -> None:
    verdict = judge([ATTESTED], [triaged(SURVIVED)], strength=measured(24))
    assert verdict.status is Status.PASS
    assert verdict.reason == (
        "1 of 1 claim survived 2 tests; 24 of 30 mutants killed: at least 66% with 90% confidence, floor 60%"
    )


UNTESTED = replace(ATTESTED, claim_id=ClaimId("C2"), verdict=ClaimVerdict.UNTESTED)
STRONG = measured(30)


@pytest.mark.parametrize(
    ("claims", "tests", "strength", "why"),
    [
        pytest.param([ATTESTED], [triaged(SURVIVED)], None, "strength not measured", id="not-measured"),
        pytest.param([ATTESTED], [triaged(SURVIVED)], measured(22), "the attack is too weak: 22 of 30", id="weak"),
        pytest.param(
            [ATTESTED], [triaged(SURVIVED)], measured(30, void="a control failed"), "a control failed", id="void"
        ),
        pytest.param([ATTESTED], [triaged(SURVIVED)], measured(0, 0), "0 of 0 mutants", id="no-mutants"),
        pytest.param([ATTESTED, UNTESTED], [triaged(SURVIVED)], STRONG, "untested: C2", id="untested"),
        pytest.param(
            [replace(ATTESTED, independent_tests=0)], [triaged(SURVIVED)], STRONG, "author's own", id="by-author"
        ),
        pytest.param(
            [replace(ATTESTED, attested_tests=0)], [triaged(SURVIVED)], STRONG, "could have forged", id="unattested"
        ),
    ],
)
def test_whatever_a_pass_lacks_makes_it_weak_and_is_named(
    claims: list[ClaimResult], tests: list[TriagedTest], strength: Strength | None, why: str
) -> None:
    verdict = judge(claims, tests, strength=strength)
    assert verdict.status is Status.PASS_WEAK
    assert why in verdict.reason


SHALLOW = ShallowClaim(claim_id=ClaimId("C1"), tests=("test_a",), unnoticed="where every function fails")


@pytest.mark.parametrize(
    ("lack", "why"),
    [
        ({"shallow": (SHALLOW,)}, "floor 60%; the attack on C1 is too weak: its tests pass also where every function"),
        ({"unjudged": "out of time"}, "floor 60%; not measured per claim: out of time"),
    ],
)
def test_a_claim_that_hollow_code_keeps_makes_a_strong_attack_s_pass_weak(lack: dict[str, Any], why: str) -> None:
    verdict = judge([ATTESTED], [triaged(SURVIVED)], strength=replace(STRONG, **lack))
    assert verdict.status is Status.PASS_WEAK
    assert why in verdict.reason


def test_no_strength_makes_up_for_a_refutation_a_doubt_or_a_time_out() -> None:
    assert judge([ATTESTED], [triaged(REFUTED)], strength=STRONG).status is Status.FAILED_ADVERSARIAL
    assert judge([ATTESTED], [triaged(SURVIVED)], tampering=("x",), strength=STRONG).status is Status.INCONCLUSIVE
    assert judge([ATTESTED], [triaged(SURVIVED)], timed_out=True, strength=STRONG).status is Status.FAILED_TIMEOUT
