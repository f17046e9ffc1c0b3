"""The flow of every hour: does the budget hold, does more fail than usual, who has to be told; and what tidies up."""

from contextlib import closing
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from prefect.artifacts import create_link_artifact, create_markdown_artifact
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import State
from prefect.events import Event, Resource
from prefect.states import Completed
from pydantic import Field

from flows.orchestrator.api import over_client
from flows.orchestrator.killed_runs import close_runs
from flows.refute_flow import refute_flow
from flows.report_tables import leave_tables
from flows.request import Request, refuse_foreign_settings
from refute.ledger.alerts import AlertMemory
from refute.ledger.store import Ledger
from refute.settings import Settings
from refute.sweep import sweep
from refute.wording import counted
from reports.alerts import Alert, tell
from reports.artifacts import PAGE_NAME
from reports.html import render_html
from reports.phrases import budget_line
from reports.report import BudgetReport, Report, make_budget, make_report
from reports.scope import Scope
from reports.terminal import render_report_markdown


class BudgetRequest(Request):
    """What to look at."""

    page: bool = Field(
        default=True, description="Also make the whole report: as artifacts, and an HTML page on the worker."
    )


@refute_flow("budget-report", run_name="budget report")
def budget_report(request: BudgetRequest) -> State[None]:
    """Look at the ledger, leave artifacts, tell of each alert once, and tidy up after runs that ended or were killed.

    The budget's hard stop is not here: the ledger is asked before every call (`refute.ledger.accounts`).

    Raises:
        LedgerUnavailable: the ledger failed.
        OSError: somebody could not be told, or the server not be asked; the next run makes up for it.
    """
    refuse_foreign_settings(request, started_by_worker=True)
    settings, now = request.settings, datetime.now(UTC)
    with closing(Ledger.open(settings)) as ledger:
        report = make_report(ledger, settings, Scope(bench=False), now) if request.page else None
        budget = report.budget if report else make_budget(ledger, settings, now)
        _show(budget)
        if report is not None:
            _show_report(report, settings)
        told = tell(budget.alerts, AlertMemory(ledger, "prefect"), emit)
    said = [budget_line(budget.state)]
    said += [f"told of {', '.join(alert.name for alert in told)}"] if told else []
    said += filter(None, [sweep(settings).words()])
    with get_client(sync_client=True) as client:
        close_runs(over_client(client))
    return Completed(name=budget.state.level.value.upper(), message="; ".join(said))


def emit(alert: Alert) -> None:
    """Have the server of PREFECT_API_URL record the alert as an event, to which automations react.

    Posted, not sent by the client's background worker: once this returns, the server has it. The same alert has the
    same id, so that an event that was sent twice after a crash is recorded once.

    Raises:
        OSError: the server does not take it.
    """
    event = Event(
        id=uuid5(NAMESPACE_URL, f"refute {alert.event} {alert.period} {alert.name}"),
        event=alert.event,
        resource=Resource(
            {
                "prefect.resource.id": f"refute.alert.{alert.name}",
                "prefect.resource.name": f"refute: {alert.name}",
                "refute.period": alert.period,
            }
        ),
        payload=alert.document(),
    )
    with get_client(sync_client=True) as client:
        over_client(client)("POST", "/events", [event.model_dump(mode="json")])


def _show(budget: BudgetReport) -> None:
    lines = [f"# Budget: {budget.state.level.value}", budget_line(budget.state)]
    lines += [f"- **{alert.words}**" for alert in budget.alerts]
    create_markdown_artifact(key="budget", markdown="\n\n".join(lines) + "\n", description=budget_line(budget.state))


def _show_report(report: Report, settings: Settings) -> None:
    """The report as an artifact that the UI shows, its tables, and the page, linked to where somebody serves it."""
    directory = settings.state_dir / "reports"
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    page = directory / PAGE_NAME
    page.write_text(render_html(report), encoding="utf-8")
    create_markdown_artifact(
        key="report",
        markdown=render_report_markdown(report),
        description=f"{counted(report.totals.runs, 'run')}; as a page: {page} on the worker's machine",
    )
    if settings.reports_url:
        link = f"{settings.reports_url.rstrip('/')}/{PAGE_NAME}"
        create_link_artifact(key="report-page", link=link, link_text="the report", description="Made every hour.")
    leave_tables("report", report.tables, description=counted(report.totals.runs, "run"))
