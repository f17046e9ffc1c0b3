"""A report of failures and costs as text, as the assistant tells it."""

from datetime import UTC, datetime
from typing import Final

from refute.ledger.store import Ledger
from refute.settings import Settings
from reports.report import make_report
from reports.scope import Scope
from reports.terminal import render_report

COLUMNS: Final = 100


def report_in_words(ledger: Ledger, settings: Settings) -> str:
    """All of a report but what `refute bench` ran.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    return render_report(make_report(ledger, settings, Scope(bench=False), datetime.now(UTC)), width=COLUMNS)
