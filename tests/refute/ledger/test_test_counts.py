"""Tests are counted by category and verdict when an outcome is recorded, and for those recorded before."""

from dataclasses import replace

from alembic import command
from sqlalchemy import select

from refute.adversary.attack import Category, Origin, TriageVerdict
from refute.ledger import migration
from refute.ledger.database import WRITES, open_database
from refute.ledger.schema import TEST_COUNTS
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
COUNTS = [("edge", "rejected", 1), ("edge", "survived", 2), ("import", "flaky", 1)]


def counts(ledger: Ledger) -> list[tuple[str, str, int]]:
    query = select(TEST_COUNTS.c.category, TEST_COUNTS.c.verdict, TEST_COUNTS.c.tests)
    with ledger.transaction() as connection:
        return sorted(tuple(row) for row in connection.execute(query))


def test_tests_are_counted_by_category_and_verdict(ledger: Ledger, make_outcome: MakeOutcome) -> None:
    ledger.record(replace(make_outcome(), tests=TESTS))
    assert counts(ledger) == COUNTS


def test_outcomes_of_an_older_ledger_are_counted_by_the_migration(
    ledger: Ledger, settings: Settings, make_outcome: MakeOutcome
) -> None:
    ledger.record(replace(make_outcome(), tests=TESTS))
    with open_database(settings).connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        command.downgrade(migration.alembic_config(connection), "0002")
    assert counts(Ledger.open(settings)) == COUNTS
