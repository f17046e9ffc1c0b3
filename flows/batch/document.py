"""A batch's outcomes for stdout or a file: table, JSON, JUnit XML."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from flows.batch.result import BatchResult
from refute import __version__
from refute.batch.tally import TOLD_FIRST
from refute.guardrails.plain_text import tail
from refute.ledger.batches import Batches
from refute.outcome import Outcome, Provenance, Status
from refute.outcome_document import write_document
from refute.ticket.record import TicketId

SCHEMA_VERSION: Final = 1
KEPT_CHARS: Final = 20_000
KEPT_LINES: Final = 200


def render_result(result: BatchResult, batches: Batches, form: str, *, color: bool) -> str:
    """The batch as `table`, `json` or `junit`, ending in a newline.

    Args:
        result: how it ended.
        batches: where its outcomes are read from.
        form: the format's name.
        color: whether a table goes to a terminal.
    """
    if form == "json":
        return _json(result, batches)
    outcomes = [*map(_slim, batches.outcomes(result.batch_id)), *_not_done(result, batches)]
    if form == "junit":
        from reports.outcome_junit import render_junit

        return render_junit(outcomes)
    from reports.outcome_formats import render_batch

    return render_batch(sorted(outcomes, key=lambda one: TOLD_FIRST.index(one.status)), color=color)


def _json(result: BatchResult, batches: Batches) -> str:
    """One object: the batch, and every outcome as `refute verify --format json` writes it."""
    tally = result.tally
    fields: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "batch_id": result.batch_id,
        "status": result.status,
        "exit_code": result.status.exit_code,
        "interrupted": result.interrupted,
        "tickets": tally.total,
        "counts": {status.value: tally.counts[status] for status in TOLD_FIRST if tally.counts[status]},
        "cost_usd": f"{tally.cost_usd:f}",
        "cost_unknown": tally.unknown_costs,
        "waiting": list(result.waiting),
        "unfinished": list(result.unfinished),
        "outcomes": [json.loads(write_document(one)) for one in batches.outcomes(result.batch_id)],
    }
    return json.dumps(fields, indent=2, ensure_ascii=True) + "\n"


def _slim(outcome: Outcome) -> Outcome:
    """Without what no table or JUnit file shows of an outcome: outputs can be megabytes each."""
    return replace(
        outcome,
        verification_output=tail(outcome.verification_output, max_lines=KEPT_LINES, max_chars=KEPT_CHARS),
        verification_stderr=tail(outcome.verification_stderr, max_lines=KEPT_LINES, max_chars=KEPT_CHARS),
        adversarial_output="",
        adversarial_tests="",
        tests=(),
    )


def _not_done(result: BatchResult, batches: Batches) -> Iterator[Outcome]:
    """Tickets without an outcome, as PENDING: shown, never recorded."""
    reasons = dict.fromkeys(result.waiting, "waits for an approval")
    reasons |= dict.fromkeys(result.unfinished, "not finished: the batch was ended")
    created_at = batches.find(result.batch_id).created_at
    for ticket in batches.tickets(result.batch_id):
        if ticket.ticket_id in reasons:
            yield Outcome(
                run_id=result.batch_id,
                ticket_id=TicketId(ticket.ticket_id),
                title=ticket.source,
                status=Status.PENDING,
                reason=reasons[ticket.ticket_id],
                started_at=created_at,
                duration_s=0.0,
                provenance=Provenance(refute_version=__version__, tester=""),
            )
