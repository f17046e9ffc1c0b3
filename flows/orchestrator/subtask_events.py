"""Events on the Prefect server as a ticket comes out of the attack and out of its review, for automations of a team.

Nothing waits for them, and none that is lost costs an outcome.
"""

import contextlib
from collections.abc import Sequence
from typing import Any, Final

from refute.case import CaseFile
from refute.critics.record import Review, ReworkEnd
from refute.stages.evidence import Critique, Escalation, Reworking

COMPLETED: Final = "refute.subtask.completed"
"""The attack is over, the critics begin."""
VERIFIED: Final = "refute.subtask.verified"
"""Nothing that critics say keeps the submitted files from going on; never said of a rework."""
FAILED: Final = "refute.subtask.failed"
"""A review that fails, with its round: 1 is of the submitted files."""
REWORKED: Final = "refute.subtask.reworked"
"""What became of a rework, which is a copy; what was submitted is as it was."""


def tell_completed(case: CaseFile) -> None:
    """That the attack on a ticket is over."""
    _tell(COMPLETED, case, {})


def tell_reviewed(case: CaseFile, critique: Critique) -> None:
    """How the critics of a ticket ended; nothing where none were asked."""
    if critique.reviews:
        judgement = critique.judgement
        _tell(FAILED if judgement.status else VERIFIED, case, _round(critique.reviews, judgement.reason))


def tell_reworked(case: CaseFile, reworking: Reworking) -> None:
    """What became of each rework."""
    for one in reworking.reworks:
        told = {"end": one.end.value, "reason": one.reason, "diff": one.diff, "round": one.round}
        _tell(REWORKED, case, told)
        if one.end is ReworkEnd.FAILED_REVIEW:
            _tell(FAILED, case, _round(one.reviews, one.reason))


def tell_judged(case: CaseFile, judged: Escalation) -> None:
    """How the review ended after a person was asked; nothing where there was nothing to ask."""
    if judged.summary:
        judgement = judged.critique.judgement
        told = {**_round(judged.critique.reviews, judgement.reason), "answer": judged.summary}
        _tell(FAILED if judgement.status else VERIFIED, case, told)


def _round(reviews: Sequence[Review], reason: str) -> dict[str, Any]:
    return {"round": max(one.round for one in reviews), "reviews": [_review(one) for one in reviews], "reason": reason}


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
