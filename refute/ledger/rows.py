"""An outcome as rows of the ledger's tables."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from refute.adversary.strength.record import Strength
from refute.critics.record import Review
from refute.guardrails.audit_chain import AuditAnchor
from refute.guardrails.plain_text import printable
from refute.ledger.schema import CLAIMS, CONFIRMATIONS, FAILURES, REVIEWS, SANDBOX_RUNS, CsvState
from refute.outcome import ClaimVerdict, Outcome, TestRecord
from refute.outcome_document import write_document

MAX_TEXT_CHARS: Final = 10_000

REJECTED: Final = "rejected"
"""Verdict of a test that the screen let not run."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRows:
    """All rows of one outcome, apart from the number that the database gives it."""

    run: Row
    outcome: Row
    children: Mapping[str, list[Row]]
    """Name of a table → its rows, to which `outcome_id` is added."""


def rows_of(outcome: Outcome, audited: AuditAnchor | None, costs_csv: str) -> OutcomeRows:
    """What the ledger writes of an outcome.

    Args:
        outcome: what happened.
        audited: where the audit log stood; None where it is switched off.
        costs_csv: name of the cost table that gets its line.
    """
    children = {
        CLAIMS.name: claim_rows(outcome),
        FAILURES.name: failure_rows(outcome),
        SANDBOX_RUNS.name: sandbox_rows(outcome),
        CONFIRMATIONS.name: confirmation_rows(outcome),
        REVIEWS.name: [review_row(one, outcome.run_id, outcome.ticket_id) for one in _reviews(outcome)],
    }
    row = {**outcome_row(outcome), **_anchor(audited), "costs_csv": costs_csv}
    return OutcomeRows(run=run_row(outcome), outcome=row, children=children)


def run_row(outcome: Outcome) -> Row:
    """The run that the outcome belongs to, as far as its first outcome knows it."""
    return {
        "run_id": outcome.run_id,
        "started_at": outcome.started_at,
        "refute_version": outcome.provenance.refute_version,
    }


def outcome_row(outcome: Outcome) -> Row:
    """The outcome itself."""
    return {
        "run_id": outcome.run_id,
        "ticket_id": outcome.ticket_id,
        "attempt": outcome.attempt,
        "title": _text(outcome.title),
        "status": outcome.status.value,
        "reason": _text(outcome.reason),
        "started_at": outcome.started_at,
        "duration_s": outcome.duration_s,
        "cost_nanousd": outcome.cost_usd or Decimal(0),
        "cost_known": outcome.cost_usd is not None,
        "tester": _text(outcome.provenance.tester),
        "claims_total": len(outcome.claims),
        "claims_refuted": sum(claim.verdict is ClaimVerdict.REFUTED for claim in outcome.claims),
        "snapshot_digest": outcome.provenance.snapshot_digest,
        "image_id": outcome.provenance.image_id,
        "profile_digest": outcome.provenance.profile_digest,
        "labels": json.dumps(outcome.labels),
        "document": write_document(outcome, indent=None),
        "csv_state": CsvState.PENDING.value,
        "sandbox_s": sum(stage.sandbox_s for stage in outcome.stages),
        "claim_counts": _counts(claim.verdict.value for claim in outcome.claims),
        "test_counts": _counts(map(_test_kind, outcome.tests)),
        **_models(outcome),
        **_strength(outcome.strength),
        "tiers": ", ".join(sorted({one.tier for one in outcome.rounds} - {""})),
    }


def _reviews(outcome: Outcome) -> list[Review]:
    """Of the submitted files, and of reworks."""
    return [*outcome.reviews, *(review for one in outcome.reworks for review in one.reviews)]


def review_row(review: Review, run_id: str, ticket_id: str) -> Row:
    """One critic's review."""
    return {
        "run_id": run_id,
        "ticket_id": ticket_id,
        "critic_id": review.critic_id,
        "focus": review.focus.value,
        "round": review.round,
        "verdict": review.verdict.value,
        "failures": len(review.failures),
        "confirmed": len(review.confirmed),
        "note": _text(review.note),
        "model": _text(review.model),
        "input_tokens": review.input_tokens,
        "output_tokens": review.output_tokens,
        "cost_nanousd": review.cost_usd,
        "at": review.at,
    }


def _strength(strength: Strength | None) -> Row:
    if strength is None or strength.score is None:
        return {"strength": None, "mutants_killed": None, "mutants_counted": None}
    return {"strength": strength.low, "mutants_killed": strength.killed, "mutants_counted": strength.n}


def _models(outcome: Outcome) -> Row:
    """What was sent to models, and came back; kept answers are no calls."""
    called = [use for use in outcome.models if use.calls]
    if not called:
        return {"models": None, "input_tokens": None, "output_tokens": None}
    return {
        "models": _text("; ".join(dict.fromkeys(use.model for use in called))),
        "input_tokens": sum(use.input_tokens for use in called),
        "output_tokens": sum(use.output_tokens + use.thinking_tokens for use in called),
    }


def _anchor(audited: AuditAnchor | None) -> Row:
    if audited is None:
        return {"audit_log": None, "audit_sequence": None, "audit_hash": None}
    return {
        "audit_log": _text(audited.log),
        "audit_sequence": audited.head.sequence,
        "audit_hash": audited.head.hash,
    }


def claim_rows(outcome: Outcome) -> list[Row]:
    """One row per claim."""
    return [
        {
            "position": position,
            "claim_id": _text(claim.claim_id),
            "text": _text(claim.text),
            "verdict": claim.verdict.value,
            "reason": _text(claim.reason),
            "decided_by": _text(claim.decided_by),
            "tests_run": claim.tests_run,
            "independent_tests": claim.independent_tests,
            "attested_tests": claim.attested_tests,
        }
        for position, claim in enumerate(outcome.claims)
    ]


def failure_rows(outcome: Outcome) -> list[Row]:
    """One row per refutation."""
    return [
        {
            "position": position,
            "test_name": _text(failure.test_name),
            "claim_id": _text(failure.claim_violated),
            "error_type": _text(failure.error_type),
            "error_message": _text(failure.error_message),
            "smallest_input": _text(failure.smallest_input),
            "tester": _text(failure.tester),
        }
        for position, failure in enumerate(outcome.failures)
    ]


def sandbox_rows(outcome: Outcome) -> list[Row]:
    """One row per stage that used a container."""
    return [
        {
            "position": position,
            "stage": stage.name,
            "duration_s": stage.duration_s,
            "sandbox_s": stage.sandbox_s,
        }
        for position, stage in enumerate(outcome.stages)
        if stage.sandbox_s
    ]


def confirmation_rows(outcome: Outcome) -> list[Row]:
    """One row where somebody was asked whether the script may run, or had said so in advance."""
    found = outcome.confirmation
    if found is None:
        return []
    return [
        {
            "position": 0,
            "answer": found.answer.value,
            "answered_by": _text(found.by),
            "note": _text(found.note),
            "asked_at": found.asked_at,
            "answered_at": found.answered_at,
            "snapshot_digest": found.snapshot_digest,
            "findings": json.dumps(found.findings),
        }
    ]


def _test_kind(test: TestRecord) -> str:
    return f"{test.category.value}/{test.verdict.value if test.verdict else REJECTED}"


def _counts(kinds: Iterable[str]) -> str:
    """How often each occurs, as a JSON object; equal counts are equal texts."""
    return json.dumps(Counter(kinds), sort_keys=True)


def _text(text: str) -> str:
    """Text that every database can hold (PostgreSQL refuses NUL) and every reader can show."""
    return printable(text, max_chars=MAX_TEXT_CHARS)
