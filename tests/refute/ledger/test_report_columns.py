"""What reports add up is counted when an outcome is recorded, and for those recorded before."""

from dataclasses import replace

from sqlalchemy import select

from refute.adversary.attack import Category, Origin, TriageVerdict
from refute.adversary.strength.record import Strength
from refute.ledger.schema import OUTCOMES
from refute.ledger.store import Ledger
from refute.outcome import RoundYield, TestRecord
from refute.ticket.record import ClaimId
from tests.refute.ledger.conftest import MakeOutcome


def tried(category: Category, verdict: TriageVerdict | None) -> TestRecord:
    return TestRecord(
        name="t",
        claim_id=ClaimId("C1"),
        category=category,
        origin=Origin.PHRASE,
        tester="property",
        verdict=verdict,
        reason="",
    )


TESTS = (
    tried(Category.EDGE, TriageVerdict.SURVIVED),
    tried(Category.EDGE, TriageVerdict.SURVIVED),
    tried(Category.EDGE, None),
    tried(Category.IMPORT, TriageVerdict.FLAKY),
)
COUNTS = (0.9, '{"refuted": 1}', '{"edge/rejected": 1, "edge/survived": 2, "import/flaky": 1}', 7, 9, "flash, pro")
STRENGTH = Strength(n=9, killed=7, killed_by_claims_only=7, low=0.5, high=0.9, floor=0.6, drawn=9)
ROUNDS = tuple(RoundYield(tester="gemini", round=tier, tier=tier) for tier in ("pro", "flash", "", "pro"))


def counts(ledger: Ledger) -> tuple[object, ...]:
    names = ("sandbox_s", "claim_counts", "test_counts", "mutants_killed", "mutants_counted", "tiers")
    query = select(*(OUTCOMES.c[name] for name in names))
    with ledger.transaction() as connection:
        return tuple(connection.execute(query).one())


def test_claims_and_tests_are_counted_beside_the_outcome(ledger: Ledger, make_outcome: MakeOutcome) -> None:
    ledger.record(replace(make_outcome(), tests=TESTS, strength=STRENGTH, rounds=ROUNDS))
    assert counts(ledger) == COUNTS


def test_an_attack_that_was_not_measured_has_no_mutants_and_not_none_of_them(
    ledger: Ledger, make_outcome: MakeOutcome
) -> None:
    ledger.record(replace(make_outcome(), strength=replace(STRENGTH, void="not measured: no time")))
    assert counts(ledger)[-3:] == (None, None, "")
