"""A report as text: on a terminal, and in Markdown for the Prefect UI."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from refute.guardrails.plain_text import markdown_text
from refute.ledger.store import Ledger
from refute.settings import Settings
from refute.wording import counted, dollars
from reports.alerts import spike_alerts
from reports.budget import BudgetState, Level
from reports.phrases import budget_line
from reports.rendering import REPORT, rendered
from reports.report import BudgetReport, Report, make_report
from reports.scope import Scope
from reports.sections import in_markdown, on_terminal
from reports.shown import headline, runs_line, sections

LEVEL_STYLES: Final[Mapping[Level, str]] = {
    Level.HOLDS: "bold green",
    Level.ALERT: "bold yellow",
    Level.EXCEEDED: "bold red",
    Level.UNLIMITED: "bold",
}
COLUMNS: Final = 100


def render_report(report: Report, *, color: bool = False, width: int | None = None) -> str:
    """All of a report.

    Args:
        report: what to show.
        color: whether it goes to a terminal; NO_COLOR is obeyed all the same.
        width: columns; None for those of the terminal.
    """
    totals = report.totals
    style = "bold red" if totals.failing_tickets else "bold green" if totals.runs else "bold"
    first = [Text(headline(totals), style=style), Text(runs_line(totals)), *_budget(report.budget)]
    shown = on_terminal(sections(report, findings=15, periods=14))
    return rendered([*first, *shown], REPORT, color=color, width=width)


def render_budget(budget: BudgetReport, *, color: bool = False, width: int | None = None) -> str:
    """The budget alone, with the worst case."""
    return rendered(_budget(budget), REPORT, color=color, width=width)


def render_report_markdown(report: Report) -> str:
    """What failed with links to runs, what it cost, whether the budget holds; all but charts and reproducers."""
    parts = [
        f"# {headline(report.totals)}",
        f"**{markdown_text(budget_line(report.budget.state))}**",
        *(f"**{markdown_text(alert.words)}**" for alert in report.budget.alerts),
        markdown_text(runs_line(report.totals)),
        *in_markdown(sections(report, findings=31, periods=31)),
    ]
    return "\n\n".join(parts) + "\n"


def report_in_words(ledger: Ledger, settings: Settings) -> str:
    """All of a report but what `refute bench` ran, as the assistant tells it.

    Raises:
        LedgerUnavailable: the ledger failed.
    """
    return render_report(make_report(ledger, settings, Scope(bench=False), datetime.now(UTC)), width=COLUMNS)


def _budget(budget: BudgetReport) -> Iterator[RenderableType]:
    state: BudgetState = budget.state
    yield Text(budget_line(state), style=LEVEL_STYLES[state.level])
    yield from (Text(alert.words, style="bold red") for alert in spike_alerts(budget.spikes, state.as_of))
    if budget.runs_a_day:  # else no run asks a model
        runs = f"{counted(budget.runs_a_day, 'run')} a day × 30 × {dollars(budget.cap_usd)} a run"
        worst = dollars(budget.worst_case_usd)
        said = f"worst case if every day were as busy as the busiest of the last 30: {runs} = {worst}"
        yield Text(said, style="dim")
