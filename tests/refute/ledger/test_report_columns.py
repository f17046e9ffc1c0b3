"""What reports add up is counted when an outcome is recorded, and for those recorded before."""

from dataclasses import replace

from alembic import command
from sqlalchemy import select

from refute.adversary.attack import Category, Origin, TriageVerdict
from refute.ledger import migration
from refute.ledger.database import WRITES, open_database
from refute.ledger.schema import OUTCOMES
from refute.ledger.store import Ledger
from refute.outcome import TestRecord
from refute.settings import Settings
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
COUNTS = (0.9, '{"refuted": 1}', '{"edge/rejected": 1, "edge/survived": 2, "import/flaky": 1}')


def counts(ledger: Ledger) -> tuple[object, ...]:
    query = select(OUTCOMES.c.sandbox_s, OUTCOMES.c.claim_counts, OUTCOMES.c.test_counts)
    with ledger.transaction() as connection:
        return tuple(connection.execute(query).one())


def test_claims_and_tests_are_counted_beside_the_outcome(ledger: Ledger, make_outcome: MakeOutcome) -> None:
    ledger.record(replace(make_outcome(), tests=TESTS))
    assert counts(ledger) == COUNTS


def test_outcomes_of_an_older_ledger_are_counted_by_the_migration(
    ledger: Ledger, settings: Settings, make_outcome: MakeOutcome
) -> None:
    ledger.record(replace(make_outcome(), tests=TESTS))
    with open_database(settings).connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        command.downgrade(migration.alembic_config(connection), "0002")
    assert counts(Ledger.open(settings)) == COUNTS
