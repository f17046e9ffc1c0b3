"""`refute report`: what failed, what it cost, whether the budget holds, from the ledger."""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from flows.commands.options import PLACE, Moment
from flows.commands.output import check_writable, deliver
from flows.orchestrator.server import server_lease
from refute.errors import OrchestratorUnavailable
from refute.ledger.alerts import AlertMemory
from refute.ledger.costs_csv import append_missing, rebuild_csv
from refute.ledger.store import Ledger
from refute.outcome import Status
from refute.settings import Settings
from refute.wording import counted

if TYPE_CHECKING:
    from reports.report import BudgetReport
    from reports.scope import Scope

ALERT_EXIT_CODE = 18
"""A threshold of the budget is reached, the forecast is over it, or more fails than usual."""
EXCEEDED_EXIT_CODE = 14
"""As `refute verify` exits for SKIPPED_BUDGET."""
DIFFERENT_EXIT_CODE = 1
AGAIN = "The ledger has it all: give the command again."
FILTERS = ("since", "until", "statuses", "labels", "tickets", "bench")
TAKEN: Mapping[str, tuple[str, ...]] = {
    "as_csv": ("rebuild",),
    "budget": ("as_json", "webhook"),
    "reconcile": ("as_json", *FILTERS),
}
"""Option that is a report of its own → what may stand beside it; the report itself takes filters, --html and --json."""


@click.command()
@click.option("--since", type=Moment(), metavar="WHEN", help="Only runs started since WHEN: a day (UTC), 12h, 7d.")
@click.option(
    "--until", type=Moment(end_of_day=True), metavar="WHEN", help="Only runs started before WHEN; a day is included."
)
@click.option(
    "--status",
    "statuses",
    type=click.Choice(list(Status), case_sensitive=False),
    multiple=True,
    metavar="S",
    help="Only runs with this status; repeatable.",
)
@click.option("--label", "labels", multiple=True, metavar="L", help="Only tickets with this label; repeatable.")
@click.option("--ticket", "tickets", multiple=True, metavar="ID", help="Only this ticket; repeatable.")
@click.option("--bench", is_flag=True, help="Only runs of `refute bench` (excluded by default).")
@click.option("--html", type=PLACE, metavar="FILE", help="Write one self-contained HTML file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Update the cost table (CSV).")
@click.option("--rebuild", is_flag=True, help="With --csv: rewrite the whole table from the ledger.")
@click.option(
    "--budget",
    "budget",
    is_flag=True,
    help="Only the month's budget and failure alerts; exits 0, 18 (alert) or 14 (exceeded).",
)
@click.option(
    "--webhook", metavar="URL", help="With --budget: POST each alert there, once a month; default: alert_webhook_url."
)
@click.option("--reconcile", is_flag=True, help="Compare ledger and Prefect artifacts; exits 1 if they differ.")
def report(**options: Any) -> int:
    """Report from the ledger: failures with counterexamples first, costs, the budget with its forecast.

    Prints tables by default. Filters combine with AND; a repeated filter matches any of its values.
    """
    _check(options)

    settings = Settings.load()
    ledger = Ledger.open(settings)
    try:
        if options["as_csv"]:
            return _csv(ledger, settings, rebuild=options["rebuild"])
        if options["budget"]:
            return _budget(ledger, settings, as_json=options["as_json"], webhook=_webhook(settings, options["webhook"]))
        scope = _scope(options)
        return (
            _reconcile(ledger, settings, scope, as_json=options["as_json"])
            if options["reconcile"]
            else _report(ledger, settings, scope, options)
        )
    finally:
        ledger.close()


def _check(options: dict[str, Any]) -> None:
    """Tell of options that do not go together.

    Raises:
        click.UsageError: they do not.
    """
    modes = [name for name in TAKEN if options[name]]
    if len(modes) > 1:
        raise click.UsageError("--csv, --budget and --reconcile are reports of their own: give one of them")
    for name, needed in (("rebuild", "as_csv"), ("webhook", "budget")):
        if options[name] and not options[needed]:
            raise click.UsageError(f"{_flag(name)} needs {_flag(needed)}")
    for mode in modes:
        extra = [_flag(name) for name, value in options.items() if value and name not in {mode, *TAKEN[mode]}]
        if extra:
            takes = ", ".join(map(_flag, TAKEN[mode]))
            raise click.UsageError(
                f"{_flag(mode)}: got {', '.join(extra)}, which it does not take (it takes {takes}); give them a command"
                " of their own"
            )


def _flag(name: str) -> str:
    """An option as it is typed."""
    of_command = next(param for param in report.params if param.name == name)
    return of_command.opts[0]


def _scope(options: dict[str, Any]) -> "Scope":
    from reports.scope import Scope

    return Scope(
        since=options["since"],
        until=options["until"],
        statuses=options["statuses"],
        labels=options["labels"],
        ticket_ids=options["tickets"],
        bench=options["bench"] or (None if options["reconcile"] else False),
    )


def _report(ledger: Ledger, settings: Settings, scope: "Scope", options: dict[str, Any]) -> int:
    from reports.report import make_report

    if options["html"] is not None:
        check_writable("--html", options["html"])
    made = make_report(ledger, settings, scope, datetime.now(UTC))
    if options["html"] is not None:
        from reports.html import render_html

        deliver(render_html(made), options["html"], option="--html", kept=AGAIN)
        click.echo(f"refute: wrote {options['html']}", err=True)
    if options["as_json"]:
        from reports.document import render_json

        deliver(render_json(made), None, kept=AGAIN)
    elif options["html"] is None:
        from reports.terminal import render_report

        deliver(render_report(made, color=sys.stdout.isatty()), None, kept=AGAIN)
    return 0


def _csv(ledger: Ledger, settings: Settings, *, rebuild: bool) -> int:
    done = rebuild_csv(ledger, settings.costs_csv) if rebuild else append_missing(ledger, settings.costs_csv)
    click.echo(f"{settings.costs_csv}: {counted(done, 'line')} {'written' if rebuild else 'appended'}")
    return 0


def _webhook(settings: Settings, given: str | None) -> str | None:
    """Who is told of alerts: the address that was given, else the setting's."""
    if given is None and settings.alert_webhook_url is not None:
        return settings.alert_webhook_url.get_secret_value()
    return given


def _budget(ledger: Ledger, settings: Settings, *, as_json: bool, webhook: str | None) -> int:
    from reports.alerts import spike_alerts
    from reports.budget import Level
    from reports.phrases import budget_line
    from reports.report import make_budget

    budget = make_budget(ledger, settings, datetime.now(UTC))
    _show_budget(budget, as_json=as_json)
    level = budget.state.level
    if level in {Level.ALERT, Level.EXCEEDED}:
        click.echo(f"refute: budget {level}: {budget_line(budget.state)}", err=True)
    for alert in spike_alerts(budget.spikes, budget.state.as_of):
        click.echo(f"refute: {alert.words}", err=True)
    told = webhook is None or _tell(ledger, budget, webhook)
    if level is Level.EXCEEDED:
        return EXCEEDED_EXIT_CODE
    return ALERT_EXIT_CODE if budget.alerts else int(not told)


def _show_budget(budget: "BudgetReport", *, as_json: bool) -> None:
    if as_json:
        from reports.document import render_budget_json

        deliver(render_budget_json(budget), None, kept=AGAIN)
        return
    from reports.terminal import render_budget

    deliver(render_budget(budget, color=sys.stdout.isatty()), None, kept=AGAIN)


def _tell(ledger: Ledger, budget: "BudgetReport", webhook: str) -> bool:
    """Whether the webhook took what was due; a broken one never hides the budget's own exit code."""
    from reports.alerts import post_to, tell, webhook_channel

    try:
        told = tell(budget.alerts, AlertMemory(ledger, webhook_channel(webhook)), post_to(webhook))
    except OSError as error:
        click.echo(f"refute: the webhook was not told: {error}; it will be next time", err=True)
        return False
    if told:
        click.echo(f"refute: the webhook was told of: {', '.join(alert.name for alert in told)}", err=True)
    return True


def _reconcile(ledger: Ledger, settings: Settings, scope: "Scope", *, as_json: bool) -> int:
    from httpx import HTTPError

    from reports.artifacts import stored_records
    from reports.reconcile import differences_json, reconcile, render_differences

    with server_lease(settings, say=lambda line: click.echo(line, err=True)) as api_url:
        try:
            stored = stored_records(api_url)
        except HTTPError as error:
            raise OrchestratorUnavailable(
                f"the Prefect server at {api_url} did not hand out its artifacts: {error}", hint="Try again."
            ) from error
    found = reconcile(ledger, scope, stored)
    deliver(differences_json(found) if as_json else render_differences(found), None, kept=AGAIN)
    return DIFFERENT_EXIT_CODE if found.differs else 0
