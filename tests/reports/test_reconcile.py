"""What the ledger and the artifacts do not agree on is named; what they agree on is not."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.outcome_document import read_document
from refute.settings import Settings
from reports.artifacts import MAX_RECORD_CHARS, StoredRecords, record_document
from reports.frames import differences, frames_from_outcomes
from reports.reconcile import reconcile, render_differences
from reports.scope import Scope


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def ledger(request: pytest.FixtureRequest, tmp_path: Path, outcomes: dict[str, Outcome]) -> Iterator[Ledger]:
    """All outcomes recorded, on either database."""
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    opened = Ledger.open(Settings(state_dir=tmp_path, ledger_url=url))
    for outcome in outcomes.values():
        opened.record(outcome)
    yield opened
    opened.close()


def stored(*outcomes: Outcome, unreadable: tuple[str, ...] = ()) -> StoredRecords:
    return StoredRecords(outcomes=outcomes, unreadable=unreadable)


def test_equal_records_agree(ledger: Ledger, outcomes: dict[str, Outcome]) -> None:
    read = [read_document(record_document(outcome)) for outcome in outcomes.values()]
    found = reconcile(ledger, Scope(), stored(*read))
    assert not found.differs
    assert render_differences(found) == "4 outcomes in both, 0 of them different\nledger and artifacts agree\n"


def test_what_differs_is_named(ledger: Ledger, outcomes: dict[str, Outcome]) -> None:
    weak, failed = outcomes["pass_weak"], outcomes["failed_adversarial"]
    changed = replace(weak, status=Status.PASS, claims=weak.claims[:1])
    other = replace(failed, run_id="another\x1b[2J")
    found = reconcile(ledger, Scope(), stored(changed, other, unreadable=("ticket-x-record",)))
    text = render_differences(found)
    assert "1 outcome in both, 1 of them different" in text
    assert f"{weak.ticket_id}, run {weak.run_id}, attempt 1: status, claims_total, claim_counts, claims" in text
    assert "only in the ledger: 3" in text
    assert r"only in artifacts: 1" in text
    assert r"run another\x1b[2J, attempt 1" in text
    assert "ticket-x-record" in text


@pytest.mark.parametrize(
    "scope",
    [
        Scope(since=datetime(2026, 3, 1, 2, 32, tzinfo=UTC)),
        Scope(until=datetime(2026, 3, 1, 2, 32, tzinfo=UTC)),
        Scope(statuses=(Status.PASS_WEAK,)),
        Scope(labels=("needs-adversarial",)),
        Scope(ticket_ids=("TCK-101",)),
    ],
)
def test_a_scope_means_the_same_for_both(ledger: Ledger, outcomes: dict[str, Outcome], scope: Scope) -> None:
    found = reconcile(ledger, scope, stored(*outcomes.values()))
    assert not found.differs
    assert 0 < found.compared < 4


def test_bench_runs_are_out_of_scope_for_both_or_for_neither(ledger: Ledger, outcomes: dict[str, Outcome]) -> None:
    measured = replace(outcomes["failed_adversarial"], run_id="bench-property-1")
    ledger.record(measured)
    without = reconcile(ledger, Scope(bench=False), stored(*outcomes.values(), measured))
    only = reconcile(ledger, Scope(bench=True), stored(*outcomes.values(), measured))
    assert (without.differs, without.compared, only.differs, only.compared) == (False, len(outcomes), False, 1)


def test_a_record_too_long_for_an_artifact_leaves_out_what_was_printed_and_gives_the_same_frames(
    outcomes: dict[str, Outcome],
) -> None:
    long = replace(outcomes["failed_verification"], verification_output="x" * 2 * MAX_RECORD_CHARS)
    document = record_document(long)
    assert len(document) < MAX_RECORD_CHARS
    assert "the ledger holds all of it" in document
    assert list(differences(frames_from_outcomes([long]), frames_from_outcomes([read_document(document)]))) == []
