"""The task of the assistant: one exchange. Never repeated by itself: it may change a WAF."""

from datetime import UTC, datetime
from typing import Final

from prefect import task

from refute.assistant.exchange import Answer, Assistant
from refute.ledger.store import Ledger
from refute.settings import Settings
from tasks.options import PLAIN

REPORT_COLUMNS: Final = 100


@task(name="answer", **PLAIN)
def answer(assistant: Assistant, conversation: str, text: str) -> Answer:
    """One message of a conversation, answered."""
    return assistant.turn(conversation, text)


def report_of(ledger: Ledger, settings: Settings) -> str:
    """The report of failures and costs, as the assistant's reporter shows it."""
    from reports.report import make_report
    from reports.scope import Scope
    from reports.terminal import render_report

    made = make_report(ledger, settings, Scope(bench=False), datetime.now(UTC))
    return render_report(made, width=REPORT_COLUMNS)
