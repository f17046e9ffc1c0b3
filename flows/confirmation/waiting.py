"""Questions that wait on a Prefect server: find them, and answer one past the UI."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import (
    FlowFilter,
    FlowFilterName,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.responses import SetStateStatus
from prefect.utilities.urls import url_for
from pydantic import ValidationError

from flows.confirmation.form import MAX_NOTE_CHARS, MAX_PERSON_CHARS
from flows.confirmation.question import AskedQuestion
from refute.errors import RefuteError, UsageError

LOOKED_AT: Final = 200
MIN_PREFIX_CHARS: Final = 4


class QuestionNotFound(RefuteError):
    """No such question waits: it was answered, has expired, or never was."""

    exit_code = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A question and the run that waits for its answer."""

    run_id: UUID
    question: AskedQuestion
    url: str
    """Of the run in the UI; empty where the server knows none."""


def waiting_questions() -> list[Waiting]:
    """All questions of the server of PREFECT_API_URL, the oldest first."""
    paused = FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.PAUSED])))
    named = FlowFilter(name=FlowFilterName(any_=["confirm"]))
    with get_client(sync_client=True) as client:
        runs = client.read_flow_runs(flow_filter=named, flow_run_filter=paused, limit=LOOKED_AT)
    found = [waiting for run in runs if (waiting := _waiting(run)) is not None]
    return sorted(found, key=lambda one: one.question.deadline)


def find_question(name: str, among: Sequence[Waiting]) -> Waiting:
    """The question that a person means by a ticket's id, a batch's, or the beginning of the waiting run's id.

    Raises:
        QuestionNotFound: none is meant.
        UsageError: several are.
    """
    meant = [one for one in among if name == one.question.subject]
    if not meant and len(name) >= MIN_PREFIX_CHARS:
        meant = [one for one in among if str(one.run_id).startswith(name)]
    if not meant:
        waiting = ", ".join(one.question.subject for one in among) or "none"
        raise QuestionNotFound(f"confirm {name!r}: no matching confirmation", hint=f"Pending: {waiting}.")
    if len(meant) > 1:
        runs = ", ".join(str(one.run_id) for one in meant)
        raise UsageError(f"confirm {name!r}: {len(meant)} questions go by this name", hint=f"Name the run: {runs}.")
    return meant[0]


def answer(waiting: Waiting, *, approve: bool, person: str, note: str = "") -> None:
    """Give the answer; it carries digest and nonce of the question that was shown.

    Args:
        waiting: the question as it was shown.
        approve: yes or no.
        person: who answers, for the audit log.
        note: why, if it is to be kept with the answer.

    Raises:
        QuestionNotFound: the server does not take it: somebody was quicker, or time is up.
    """
    filled_in = {
        "decision": waiting.question.choices[not approve],
        "person": person[:MAX_PERSON_CHARS],
        "note": note[:MAX_NOTE_CHARS],
        "digest": waiting.question.digest,
        "nonce": waiting.question.nonce,
    }
    with get_client(sync_client=True) as client:
        result = client.resume_flow_run(waiting.run_id, run_input=filled_in)
    if result.status is not SetStateStatus.ACCEPT:
        reason = getattr(result.details, "reason", None) or "no reason given"
        raise QuestionNotFound(f"confirm {waiting.question.subject}: the answer was not taken: {reason}")


def _waiting(run: FlowRun) -> Waiting | None:
    try:
        question = AskedQuestion.model_validate(run.parameters["question"])
    except (ValidationError, KeyError):  # of another version, or none of ours
        return None
    return Waiting(run_id=run.id, question=question, url=url_for("flow-run", obj_id=run.id) or "")
