"""Outcomes for tests and benchmarks that care about some of their fields."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from refute.adversary.attack import Category, Origin, TriageVerdict
from refute.outcome import (
    ClaimResult,
    ClaimVerdict,
    ModelUse,
    Outcome,
    Provenance,
    Status,
    TestFailure,
    TestRecord,
)
from refute.ticket.record import ClaimId, TicketId

AT: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLAIM: Final = ClaimResult(claim_id=ClaimId("C1"), text="It sorts.", verdict=ClaimVerdict.SURVIVED, reason="passed")
REFUTED: Final = ClaimResult(
    claim_id=ClaimId("C1"), text="It sorts.", verdict=ClaimVerdict.REFUTED, reason="failed", tests_run=2
)
FAILURE: Final = TestFailure(
    test_name="test_c1",
    claim_violated=ClaimId("C1"),
    claim_text="It sorts.",
    error_type="AssertionError",
    error_message="[2, 1] != [1, 2]",
    traceback="",
    smallest_input="xs=[2, 1]",
    reproducer="from sort import sort\nassert sort([2, 1]) == [1, 2]\n",
    tester="property",
)


def fake_outcome(ticket_id: str = "T-1", **fields: Any) -> Outcome:
    """An outcome of nothing in particular.

    Args:
        ticket_id: of its ticket.
        fields: of the record, instead of what a test does not care about.
    """
    defaults: dict[str, Any] = {
        "run_id": "run-1",
        "title": "A title",
        "status": Status.PASS,
        "reason": "a reason",
        "started_at": AT,
        "duration_s": 1.0,
        "provenance": Provenance(refute_version="0.1.0", tester=fields.pop("tester", "property")),
    }
    return Outcome(ticket_id=TicketId(ticket_id), **(defaults | fields))


def fake_use(**fields: Any) -> ModelUse:
    """A model that was asked once, for nothing."""
    tokens = dict.fromkeys(("cached_answers", "input_tokens", "cached_tokens", "output_tokens", "thinking_tokens"), 0)
    return ModelUse(**{"model": "m", "calls": 1, **tokens, "cost_usd": Decimal(0), "latency_s": 0.1, **fields})


def fake_test(name: str = "t", verdict: TriageVerdict | None = TriageVerdict.SURVIVED, **fields: Any) -> TestRecord:
    """A test of the first claim by Gemini."""
    facts: dict[str, Any] = {"claim_id": ClaimId("C1"), "category": Category.EDGE, "origin": Origin.MODEL}
    return TestRecord(**{"name": name, "verdict": verdict, "tester": "gemini", "reason": "", **facts, **fields})
