"""Puts a run's questions to a person: at the terminal that it was started from, or by a form where a worker runs it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from flows.batch.answers import list_digest
from flows.confirmation.form import put_in_ui
from flows.confirmation.question import (
    TICKETS_SHOWN,
    AskedQuestion,
    Reply,
    about_list,
    about_ticket,
    about_words,
    digest_of,
)
from flows.console import current_console
from flows.terminal.asking import put_at_terminal
from refute.approval import AdvanceApprover, Approval, Decision, Denial, Question
from refute.errors import RefuteError
from refute.guardrails.audit import Decision as AuditDecision
from refute.guardrails.audit import Gate
from refute.guardrails.plain_text import printable
from refute.ports import Ports
from refute.settings import Settings
from refute.stages import admission


class PersonApprover:
    """Asks a person about one ticket, or about the list of a batch.

    Args:
        ports: the effects of its run.
        advance: who said yes in advance; then only a script with findings that block is asked about.
    """

    def __init__(self, ports: Ports, *, advance: AdvanceApprover | None = None) -> None:
        self._ports = ports
        self._advance = advance

    def ask(self, question: Question) -> Decision:
        """Approve where a person confirms exactly these files in time.

        Raises:
            OrchestratorUnavailable: the question cannot be asked safely, or at all.
        """
        if self._advance is not None and (question.opinions or not question.dangers):
            return self._advance.ask(question)
        try:
            reply = put_to_person(self._ports, partial(about_ticket, question))
        except KeyboardInterrupt as interrupt:
            if current_console() is None:  # it ends a worker's run: nobody has answered
                raise
            return Denial(reason=str(interrupt) or "interrupted at the prompt")
        if reply.approved:
            return Approval(snapshot_digest=question.snapshot.digest, by=reply.by, note=reply.note)
        if reply.approved is None:
            return Denial(reason=reply.note)
        return Denial(reason=f"{'upheld' if question.opinions else 'declined'} by {reply.words}", by=reply.by)

    def ask_list(self, listed: tuple[Question, ...]) -> Reply:
        """Ask once for all; only a clear answer counts, without one its tickets wait on. Raises as `ask`."""
        shown = [self._posed(one) for one in listed[:TICKETS_SHOWN]]
        subject, digest = self._ports.run_id, list_digest(listed)
        return put_to_person(
            self._ports, partial(about_list, shown, subject=subject, digest=digest, scripts=len(listed))
        )

    def _posed(self, one: Question) -> Question:
        """One of a list, with script and plan where they are shown: a terminal has a table without."""
        if current_console() is not None:
            return one
        try:
            return admission.pose_question(self._ports, one.ticket, one.snapshot, one.scan)
        except RefuteError as error:  # its own run will tell; it keeps nobody from answering for the others
            return replace(one, plan=(f"cannot run: {error.message}",))


def put_to_person(
    ports: Ports, pose: Callable[[datetime], AskedQuestion], *, form_timeout_s: float | None = None
) -> Reply:
    """Write a question to the audit log, then ask it.

    Args:
        ports: the effects of the run that asks.
        pose: gives the question, by its deadline.
        form_timeout_s: how long a form waits, if not as the settings say.

    Raises:
        AuditUnavailable: the question cannot be kept.
        OrchestratorUnavailable: it cannot be asked safely, or at all.
    """
    settings, at_terminal = ports.settings, current_console() is not None
    if not at_terminal:
        ports.discard_prepared()  # an answer may take a day
    timeout_s = settings.confirmation_timeout_s if at_terminal else form_timeout_s or settings.form_timeout_s
    asked = pose(datetime.now(UTC) + timedelta(seconds=timeout_s))
    ports.audit.record(
        Gate.REVIEW if asked.is_about_opinions else Gate.CONFIRMATION,
        AuditDecision.CHALLENGE,
        run_id=ports.run_id,
        reason="asked at the terminal" if at_terminal else "asked in the Prefect UI",
        metadata={
            "subject": asked.subject,
            "snapshot": asked.digest,
            "tickets": asked.scripts,
            "deadline": asked.deadline.isoformat(),
        },
    )
    return (put_at_terminal if at_terminal else put_in_ui)(asked, timeout_s)


def ask_person(
    subject: str, text: str, *, settings: Settings, run_id: str, form_timeout_s: float | None = None
) -> Reply:
    """Ask for a decision that is about no script; anything but a clear yes in time is a no. It is audited first.

    Args:
        subject: the ticket, or whatever else the question goes by.
        text: what is asked; its first line is the heading, its last the question.
        settings: how long is waited.
        run_id: of the run that asks.
        form_timeout_s: how long a form waits, if not as the settings say.

    Raises:
        AuditUnavailable: the answer cannot be kept, so it counts for nothing.
        OrchestratorUnavailable: the question cannot be asked safely.
    """
    shown, ports = printable(text), Ports(settings, run_id)
    reply = put_to_person(ports, partial(about_words, subject, shown), form_timeout_s=form_timeout_s)
    ports.audit.record(
        Gate.CONFIRMATION,
        AuditDecision.ALLOW if reply.approved else AuditDecision.DENY,
        run_id=run_id,
        reason=f"{shown.partition(chr(10))[0]}: {reply.by or 'nobody answered'} {reply.note}".strip(),
        metadata={"subject": subject, "asked": digest_of(shown), "answer": reply.words},
    )
    return reply
