"""Ask a person for a decision that is about no script: at the terminal, or by the form where a worker runs the flow."""

from datetime import UTC, datetime, timedelta

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from flows.confirmation.approver import put_in_ui
from flows.confirmation.question import AskedQuestion, Reply, digest_of
from flows.console import current_console
from flows.terminal.approver import choose, person
from refute.guardrails.audit import AuditLog, Decision, Gate
from refute.guardrails.plain_text import printable
from refute.settings import Settings


def ask_person(subject: str, text: str, *, settings: Settings, run_id: str) -> Reply:
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
    reply = ask(subject, shown, settings)
    AuditLog(settings.audit_path, enabled=settings.audit_enabled).record(
        Gate.CONFIRMATION,
        Decision.ALLOW if reply.approved else Decision.DENY,
        run_id=run_id,
        reason=f"{shown.partition(chr(10))[0]}: {reply.by or 'nobody answered'} {reply.note}".strip(),
        metadata={"ticket": subject, "asked": digest_of(shown)},
    )
    return reply


def _at_terminal(subject: str, text: str, settings: Settings) -> Reply:
    console = Console(stderr=True)
    heading, _, rest = text.partition("\n")
    console.print(Panel(Text(rest.strip() or heading), title=Text(f"{subject}: {heading}"), title_align="left"))
    approved = choose(console, "Yes? [y/N]", settings.confirmation_timeout_s)
    if approved is None:
        return Reply(approved=None, note="no clear answer in time")
    return Reply(approved=approved, by=person())


def _by_form(subject: str, text: str, settings: Settings) -> Reply:
    deadline = datetime.now(UTC) + timedelta(seconds=settings.form_timeout_s)
    asked = AskedQuestion(subject=subject, digest=digest_of(text), deadline=deadline, text=text)
    return put_in_ui(asked, settings.form_timeout_s)
