"""The frames of the ledger and of the outcomes themselves are the same, typed, whatever the database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from reports.frames import frames_from_ledger, frames_from_outcomes
from reports.scope import Scope
from tests.reports.conftest import ON_BOTH, assert_equal

pytestmark = ON_BOTH


@pytest.fixture
def recorded(ledger: Ledger, outcomes: dict[str, Outcome]) -> list[Outcome]:
    """Outcomes of every kind, recorded in another order than they happened."""
    several = [*outcomes.values(), replace(outcomes["blocked"], attempt=2, cost_usd=Decimal("0.0000000125"))]
    for outcome in reversed(several):
        ledger.record(outcome)
    return several


def test_the_ledger_and_the_outcomes_give_equal_frames(ledger, recorded):
    assert_equal(frames_from_ledger(ledger), frames_from_outcomes(recorded))


def test_an_empty_ledger_gives_empty_frames_of_the_same_types(ledger):
    assert_equal(frames_from_ledger(ledger), frames_from_outcomes([]))


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(since=datetime(2026, 3, 1, 2, 32, tzinfo=UTC)), ["TCK-666", "TCK-666", "TCK-103"]),
        (Scope(until=datetime(2026, 3, 1, 2, 31, tzinfo=UTC) + timedelta(microseconds=1)), ["TCK-102", "TCK-101"]),
        (Scope(statuses=(Status.PASS_WEAK, Status.FAILED_VERIFICATION)), ["TCK-102", "TCK-103"]),
        (Scope(labels=("needs", "adversarial", "needs%", "needs_adversarial")), []),
        (Scope(ticket_ids=("TCK-101",), statuses=(Status.PASS,)), []),
    ],
)
def test_a_scope_holds_for_every_frame(ledger, recorded, scope, expected):
    frames = frames_from_ledger(ledger, scope)
    assert list(frames.outcomes["ticket_id"]) == expected
    wanted = set(zip(expected, frames.outcomes["attempt"], strict=True))
    kept = [one for one in recorded if (one.ticket_id, one.attempt) in wanted]
    assert_equal(frames, frames_from_outcomes(kept))


def test_labels_are_told_apart_whatever_they_hold(ledger, outcomes):
    tricky = ('a"b', "b", '["b"', 'x,"b"', "ü%", "u_")
    for number, label in enumerate(tricky):
        ledger.record(replace(outcomes["blocked"], run_id=f"run-{number}", labels=("first", label)))
    for number, label in enumerate(tricky):
        found = frames_from_ledger(ledger, Scope(labels=(label,))).outcomes
        assert list(found["run_id"]) == [f"run-{number}"]
