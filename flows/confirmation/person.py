"""Ask a person for a decision that is about no script: at the terminal, or by the form where a worker runs the flow."""

from datetime import UTC, datetime, timedelta

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from flows.confirmation.approver import put_in_ui
from flows.confirmation.question import AskedQuestion, Reply, digest_of
from flows.console import current_console
from flows.terminal.approver import choose, person
from refute.guardrails.audit import Decision, Gate
from refute.guardrails.plain_text import printable
from refute.ports import audit_log
from refute.settings import Settings


def ask_person(
    subject: str, text: str, *, settings: Settings, run_id: str, form_timeout_s: float | None = None
) -> Reply:
    """Ask; anything but a clear yes in time is a no. The answer is written to the audit log first.

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
    shown = printable(text)
    if current_console() is None:
        reply = _by_form(subject, shown, settings.form_timeout_s if form_timeout_s is None else form_timeout_s)
    else:
        reply = _at_terminal(subject, shown, settings.confirmation_timeout_s)
    audit_log(settings).record(
        Gate.CONFIRMATION,
        Decision.ALLOW if reply.approved else Decision.DENY,
        run_id=run_id,
        reason=f"{shown.partition(chr(10))[0]}: {reply.by or 'nobody answered'} {reply.note}".strip(),
        metadata={"subject": subject, "asked": digest_of(shown), "answer": reply.words},
    )
    return reply


def _at_terminal(subject: str, text: str, timeout_s: float) -> Reply:
    console = Console(stderr=True)
    heading, _, rest = text.partition("\n")
    console.print(Panel(Text(rest.strip() or heading), title=Text(f"{subject}: {heading}"), title_align="left"))
    approved = choose(console, "Yes? [y/N]", timeout_s)
    if approved is None:
        return Reply(approved=None, note="no clear answer in time")
    return Reply(approved=approved, by=person())


def _by_form(subject: str, text: str, timeout_s: float) -> Reply:
    deadline = datetime.now(UTC) + timedelta(seconds=timeout_s)
    return put_in_ui(AskedQuestion(subject=subject, digest=digest_of(text), deadline=deadline, text=text), timeout_s)
