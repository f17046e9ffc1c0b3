"""Events on the Prefect server as a ticket comes out of the attack and out of its review, for automations of a team.

Nothing waits for them, and none that is lost costs an outcome.
"""

import contextlib
from typing import Any, Final

from refute.case import CaseFile
from refute.critics.record import Review

COMPLETED: Final = "refute.subtask.completed"
"""The attack is over, the critics begin."""
VERIFIED: Final = "refute.subtask.verified"
FAILED: Final = "refute.subtask.failed"


def tell_completed(case: CaseFile) -> None:
    """That the attack on a ticket is over."""
    _tell(COMPLETED, case, {})


def tell_reviewed(case: CaseFile) -> None:
    """How the critics of a ticket ended; nothing where none were asked."""
    critique = case.critique
    if critique is None or not critique.reviews:
        return
    judgement = critique.judgement
    told = {
        "round": max(one.round for one in critique.reviews),
        "reviews": [_review(one) for one in critique.reviews],
        "reason": judgement.reason,
    }
    _tell(VERIFIED if judgement.status is None else FAILED, case, told)


def _review(review: Review) -> dict[str, Any]:
    return {
        "critic_id": review.critic_id,
        "focus": review.focus.value,
        "verdict": review.verdict.value,
        "failures": len(review.failures),
        "confirmed": len(review.confirmed),
    }


def _tell(event: str, case: CaseFile, payload: dict[str, Any]) -> None:
    from prefect.events import emit_event

    resource = {"prefect.resource.id": f"refute.ticket.{case.ticket.id}", "prefect.resource.name": case.ticket.id}
    with contextlib.suppress(Exception):  # a server that is gone keeps no ticket from its verdict
        emit_event(event, resource=resource, payload={"ticket": case.ticket.id, "run_id": case.run_id, **payload})
