"""What the ledger and the artifacts do not agree on is named; what they agree on is not."""

from dataclasses import replace

import pytest

from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.outcome_document import read_document
from reports.artifacts import MAX_RECORD_CHARS, StoredRecords, record_document
from reports.frames import frames_from_outcomes
from reports.reconcile import reconcile, render_differences
from reports.scope import Scope
from tests.reports.conftest import ON_BOTH, assert_equal


@pytest.fixture
def recorded(ledger: Ledger, outcomes: dict[str, Outcome]) -> Ledger:
    for outcome in outcomes.values():
        ledger.record(outcome)
    return ledger


def stored(*outcomes: Outcome, unreadable: tuple[str, ...] = ()) -> StoredRecords:
    return StoredRecords(outcomes=outcomes, unreadable=unreadable)


@ON_BOTH
def test_equal_records_agree(recorded, outcomes):
    read = [read_document(record_document(outcome)) for outcome in outcomes.values()]
    found = reconcile(recorded, Scope(), stored(*read))
    assert not found.differs
    assert render_differences(found) == "4 outcomes in both, 0 of them different\nledger and artifacts agree\n"


@ON_BOTH
def test_what_differs_is_named(recorded, outcomes):
    weak, failed = outcomes["pass_weak"], outcomes["failed_adversarial"]
    changed = replace(weak, status=Status.PASS, claims=weak.claims[:1])
    other = replace(failed, run_id="another\x1b[2J")
    found = reconcile(recorded, Scope(), stored(changed, other, unreadable=("ticket-x-record",)))
    text = render_differences(found)
    for told in (
        "1 outcome in both, 1 of them different",
        f"{weak.ticket_id}, run {weak.run_id}, attempt 1: status, claims_total, claim_counts, claims",
        *("only in the ledger: 3", "only in artifacts: 1", r"run another\x1b[2J, attempt 1", "ticket-x-record"),
    ):
        assert told in text


def test_a_record_too_long_for_an_artifact_leaves_out_what_was_printed_and_gives_the_same_frames(outcomes):
    long = replace(outcomes["failed_verification"], verification_output="x" * 2 * MAX_RECORD_CHARS)
    document = record_document(long)
    assert len(document) < MAX_RECORD_CHARS
    assert "the ledger holds all of it" in document
    assert_equal(frames_from_outcomes([long]), frames_from_outcomes([read_document(document)]))
