"""Puts a run's question to people at the Prefect UI instead of a terminal."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from prefect.client.schemas.objects import State
from prefect.settings import PREFECT_API_URL

from flows.batch.answers import Listed, Reply, digest_of
from flows.confirmation.form import CONFIRMED, DECLINED, ask_in_ui
from flows.confirmation.question import TICKETS_SHOWN, AskedQuestion, AskedTicket, budgeted
from flows.orchestrator.access import require_protected
from refute.approval import Approval, Decision, Denial, Question
from refute.errors import OrchestratorUnavailable, RefuteError
from refute.guardrails.audit import Decision as AuditDecision
from refute.guardrails.audit import Gate
from refute.ports import Ports
from refute.stages import admission

Put = Callable[[AskedQuestion, float], State[None]]
"""Asks, waits, and says by a state how it was answered."""


class FormApprover:
    """Asks about one ticket.

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
        timeout_s = self._ports.settings.form_timeout_s
        asked = AskedQuestion(
            subject=question.ticket.id,
            digest=question.snapshot.digest,
            nonce=secrets.token_urlsafe(16),
            deadline=datetime.now(UTC) + timedelta(seconds=timeout_s),
            is_list=False,
            tickets=(AskedTicket.of(question),),
        )
        _challenge(self._ports, asked)
        state = self._put(asked, timeout_s)
        by, note = said(state)
        if state.is_completed() and state.name == CONFIRMED:
            return Approval(snapshot_digest=asked.digest, by=by, note=note)
        if state.name == DECLINED:
            answered = "upheld" if question.opinions else "declined"
            return Denial(reason=f"{answered} by {by}" + (f": {note}" if note else ""), by=by)
        return Denial(reason=state.message or "the question in the Prefect UI was not answered")


class FormList:
    """Asks about the list of a batch; its tickets wait on where nobody answers.

    Args:
        ports: the effects of the batch.
        put: asks; by default a run of the flow `confirm`.
    """

    def __init__(self, ports: Ports, *, put: Put | None = None) -> None:
        self._ports = ports
        self._put = put or put_in_ui

    def __call__(self, listed: tuple[Listed, ...]) -> Reply | None:
        """Ask once for all; only a clear answer counts.

        Raises:
            OrchestratorUnavailable: the question cannot be asked safely, or at all.
        """
        timeout_s = self._ports.settings.form_timeout_s
        shown = budgeted([self._posed(one) for one in listed[:TICKETS_SHOWN]])
        asked = AskedQuestion(
            subject=self._ports.run_id,
            digest=digest_of(listed),
            nonce=secrets.token_urlsafe(16),
            deadline=datetime.now(UTC) + timedelta(seconds=timeout_s),
            is_list=True,
            tickets=shown,
            left_out=len(listed) - len(shown),
        )
        _challenge(self._ports, asked)
        state = self._put(asked, timeout_s)
        confirmed = state.is_completed() and state.name == CONFIRMED
        if confirmed or state.name == DECLINED:
            return Reply(approved=confirmed, by=": ".join(filter(None, said(state))))
        return None

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


def put_in_ui(question: AskedQuestion, timeout_s: float) -> State[None]:
    """Ask by a run of the flow `confirm`.

    Raises:
        OrchestratorUnavailable: whoever reaches the server could answer, or the run did not come to its end.
    """
    require_protected(PREFECT_API_URL.value())
    state: State[Any] = ask_in_ui(question, timeout_s, return_state=True)
    if state.is_completed() or state.is_cancelled() or state.is_cancelling():
        return state
    raise OrchestratorUnavailable(
        f"the question about {question.subject} could not be put in the Prefect UI: {state.name}: {state.message}",
        hint="Look at the run `confirm` in the UI, and verify the ticket again.",
    )


def said(state: State[None]) -> tuple[str, str]:
    """Who answered, and why; the latter is empty where nothing was said."""
    person, _, note = (state.message or "").partition("\n")
    return f"{person}, asked in the Prefect UI", note


def _challenge(ports: Ports, asked: AskedQuestion) -> None:
    ports.audit.record(
        Gate.REVIEW if asked.is_about_opinions else Gate.CONFIRMATION,
        AuditDecision.CHALLENGE,
        run_id=ports.run_id,
        reason="asked in the Prefect UI",
        metadata={
            "subject": asked.subject,
            "snapshot": asked.digest,
            "tickets": len(asked.tickets) + asked.left_out,
            "deadline": asked.deadline.isoformat(),
        },
    )
