"""Puts a run's question to people at the Prefect UI instead of a terminal."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from prefect.client.schemas.objects import State
from prefect.settings import PREFECT_API_URL

from flows.batch.answers import Listed, digest_of
from flows.confirmation.form import CONFIRMED, DECLINED, ask_in_ui
from flows.confirmation.question import TICKETS_SHOWN, AskedQuestion, AskedTicket, Reply, budgeted
from flows.orchestrator.access import require_protected
from refute.approval import Approval, Decision, Denial, Question
from refute.errors import OrchestratorUnavailable, RefuteError
from refute.guardrails.audit import Decision as AuditDecision
from refute.guardrails.audit import Gate
from refute.ports import Ports
from refute.stages import admission

Put = Callable[[AskedQuestion, float], Reply]
"""Asks, and waits so many seconds."""


class FormApprover:
    """Asks about one ticket, or about the list of a batch.

    Args:
        ports: the effects of its run.
        put: asks; by default a run of the flow `confirm`.
    """

    def __init__(self, ports: Ports, *, put: Put | None = None) -> None:
        self._ports = ports
        self._put = put or put_in_ui

    def ask(self, question: Question) -> Decision:
        """Approve where a person confirms exactly these files in time.

        Raises:
            OrchestratorUnavailable: the question cannot be asked safely, or at all.
        """
        self._ports.discard_prepared()  # an answer may take a day
        digest = question.snapshot.digest
        reply = self._asked(subject=question.ticket.id, digest=digest, tickets=(AskedTicket.of(question),))
        if reply.approved:
            return Approval(snapshot_digest=digest, by=reply.by, note=reply.note)
        if reply.approved is None:
            return Denial(reason=reply.note or "the question in the Prefect UI was not answered")
        return Denial(reason=f"{'upheld' if question.opinions else 'declined'} by {reply.words}", by=reply.by)

    def ask_list(self, listed: tuple[Listed, ...]) -> Reply:
        """Ask once for all; only a clear answer counts, without one its tickets wait on.

        Raises:
            OrchestratorUnavailable: the question cannot be asked safely, or at all.
        """
        shown = budgeted([self._posed(one) for one in listed[:TICKETS_SHOWN]])
        left_out = len(listed) - len(shown)
        about = {"subject": self._ports.run_id, "digest": digest_of(listed), "tickets": shown}
        return self._asked(**about, is_list=True, left_out=left_out)

    def _asked(self, **about: Any) -> Reply:
        timeout_s = self._ports.settings.form_timeout_s
        asked = AskedQuestion(deadline=datetime.now(UTC) + timedelta(seconds=timeout_s), **about)
        self._ports.audit.record(
            Gate.REVIEW if asked.is_about_opinions else Gate.CONFIRMATION,
            AuditDecision.CHALLENGE,
            run_id=self._ports.run_id,
            reason="asked in the Prefect UI",
            metadata={
                "subject": asked.subject,
                "snapshot": asked.digest,
                "tickets": len(asked.tickets) + asked.left_out,
                "deadline": asked.deadline.isoformat(),
            },
        )
        return self._put(asked, timeout_s)

    def _posed(self, one: Listed) -> Question:
        try:
            return admission.pose_question(self._ports, one.ticket, one.snapshot, one.scan)
        except RefuteError as error:  # its own run will tell; it keeps nobody from answering for the others
            return Question(
                ticket=one.ticket,
                snapshot=one.snapshot,
                script="",
                scan=one.scan,
                plan=(f"cannot run: {error.message}",),
                timeout_s=0,
            )


def put_in_ui(question: AskedQuestion, timeout_s: float) -> Reply:
    """Ask by a run of the flow `confirm`.

    Raises:
        OrchestratorUnavailable: whoever reaches the server could answer, or the run did not come to its end.
    """
    require_protected(PREFECT_API_URL.value())
    state: State[Any] = ask_in_ui(question, timeout_s, return_state=True)
    if state.is_completed() or state.is_cancelled() or state.is_cancelling():
        return reply_of(state)
    raise OrchestratorUnavailable(
        f"the question about {question.subject} could not be put in the Prefect UI: {state.name}: {state.message}",
        hint="Look at the run `confirm` in the UI, and verify the ticket again.",
    )


def reply_of(state: State[Any]) -> Reply:
    """What a run of the flow `confirm` came to; only one that ended CONFIRMED approves."""
    person, _, note = (state.message or "").partition("\n")
    confirmed = state.is_completed() and state.name == CONFIRMED
    if confirmed or state.name == DECLINED:
        return Reply(approved=confirmed, by=f"{person}, asked in the Prefect UI", note=note)
    return Reply(approved=None, note=state.message or "")
