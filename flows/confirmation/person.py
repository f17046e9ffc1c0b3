"""Ask a person for a decision that is about no script: at the terminal, or by the form where a worker runs the flow."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from flows.confirmation.approver import put_in_ui, said
from flows.confirmation.form import CONFIRMED, DECLINED
from flows.confirmation.question import AskedQuestion, digest_of
from flows.console import current_console
from flows.terminal.approver import YES, person, read_line
from refute.guardrails.audit import AuditLog, Decision, Gate
from refute.guardrails.plain_text import printable
from refute.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonsAnswer:
    """What came of it."""

    approved: bool
    by: str
    """Empty where nobody answered."""
    note: str = ""


def ask_person(subject: str, text: str, *, settings: Settings, run_id: str) -> PersonsAnswer:
    """Ask; anything but a clear yes in time is a no. The answer is written to the audit log first.

    Args:
        subject: the ticket.
        text: what is asked; its first line is the heading, its last the question.
        settings: how long is waited.
        run_id: of the run that asks.

    Raises:
        AuditUnavailable: the answer cannot be kept, so it counts for nothing.
        OrchestratorUnavailable: the question cannot be asked safely.
    """
    shown = printable(text)
    ask = _by_form if current_console() is None else _at_terminal
    answer = ask(subject, shown, settings)
    AuditLog(settings.audit_path, enabled=settings.audit_enabled).record(
        Gate.CONFIRMATION,
        Decision.ALLOW if answer.approved else Decision.DENY,
        run_id=run_id,
        reason=f"{shown.partition(chr(10))[0]}: {answer.by or 'nobody answered'} {answer.note}".strip(),
        metadata={"ticket": subject, "asked": digest_of(shown)},
    )
    return answer


def _at_terminal(subject: str, text: str, settings: Settings) -> PersonsAnswer:
    console = Console(stderr=True)
    heading, _, rest = text.partition("\n")
    console.print(Panel(Text(rest.strip() or heading), title=Text(f"{subject}: {heading}"), title_align="left"))
    console.print(Text("Yes? [y/N]", style="bold"), end=" ")
    line = read_line(settings.confirmation_timeout_s)
    console.print()
    approved = (line or "").strip().lower() in YES
    return PersonsAnswer(approved=approved, by=person() if line else "", note="" if line else "no answer in time")


def _by_form(subject: str, text: str, settings: Settings) -> PersonsAnswer:
    deadline = datetime.now(UTC) + timedelta(seconds=settings.form_timeout_s)
    asked = AskedQuestion.about(text, subject=subject, deadline=deadline)
    state = put_in_ui(asked, settings.form_timeout_s)
    confirmed = state.is_completed() and state.name == CONFIRMED
    if not confirmed and state.name != DECLINED:
        return PersonsAnswer(approved=False, by="", note=state.message or "not answered")
    by, note = said(state)
    return PersonsAnswer(approved=confirmed, by=by, note=note)
