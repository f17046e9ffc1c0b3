"""A report on a terminal: what failed, what it cost, whether the budget holds, then the tables."""

from collections.abc import Iterator, Mapping
from typing import Final

import pandas as pd
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from refute.guardrails.plain_text import on_one_line, printable
from reports.aggregate import NO_MODEL
from reports.alerts import spike_alerts
from reports.budget import BudgetState, Level
from reports.findings import Finding
from reports.groups import Group
from reports.phrases import budget_line, percent, rate, seconds, short_rate, unpriced, usd
from reports.rates import Rate
from reports.rendering import REPORT, rendered
from reports.report import BudgetReport, Report
from reports.waiting import answer_time, answers, queue_time
from reports.wording import counted, in_brief

FINDINGS_SHOWN: Final = 15
DAYS_SHOWN: Final = 14
WEEKS_SHOWN: Final = 8
LEVEL_STYLES: Final[Mapping[Level, str]] = {
    Level.HOLDS: "bold green",
    Level.ALERT: "bold yellow",
    Level.EXCEEDED: "bold red",
    Level.UNLIMITED: "bold",
}


def render_report(report: Report, *, color: bool = False, width: int | None = None) -> str:
    """All of a report.

    Args:
        report: what to show.
        color: whether it goes to a terminal; NO_COLOR is obeyed all the same.
        width: columns; None for those of the terminal.
    """
    return rendered([*_headline(report), *_findings(report), *_tables(report)], REPORT, color=color, width=width)


def render_budget(budget: BudgetReport, *, color: bool = False, width: int | None = None) -> str:
    """The budget alone, with the worst case."""
    parts: list[RenderableType] = [_budget_text(budget.state), *_spikes(budget), *_worst_case(budget)]
    return rendered(parts, REPORT, color=color, width=width)


def _headline(report: Report) -> Iterator[RenderableType]:
    totals = report.totals
    failing = len(totals.failing_tickets)
    if not totals.runs:
        yield Text("No outcomes: nothing has run yet, or no run matches the filters.", style="bold")
    elif failing:
        yield Text(f"{counted(failing, 'ticket')} failing now, of {totals.tickets:,}", style="bold red")
    else:
        yield Text(f"No ticket failing now, of {totals.tickets:,}", style="bold green")
    ends = ", ".join(f"{count:,} {group}" for group, count in totals.groups.items() if count)
    cost = ", ".join(filter(None, [usd(totals.cost_usd), unpriced(totals.unpriced_calls)]))
    yield Text(f"{counted(totals.runs, 'run')}: {ends}; {cost}" if totals.runs else "no runs")
    yield _budget_text(report.budget.state)
    yield from _spikes(report.budget)
    yield from _worst_case(report.budget)


def _budget_text(state: BudgetState) -> Text:
    return Text(budget_line(state), style=LEVEL_STYLES[state.level])


def _spikes(budget: BudgetReport) -> list[RenderableType]:
    return [Text(alert.words, style="bold red") for alert in spike_alerts(budget.spikes, budget.state.as_of)]


def _worst_case(budget: BudgetReport) -> Iterator[Text]:
    if not budget.runs_a_day:  # no run asks a model
        return
    runs = f"{counted(budget.runs_a_day, 'run')} a day × 30 × ${budget.cap_usd:f} a run"
    worst = usd(float(budget.worst_case_usd))
    said = f"worst case if every day were as busy as the busiest of the last 30: {runs} = {worst}"
    yield Text(said, style="dim")


def _findings(report: Report) -> Iterator[RenderableType]:
    if not report.findings:
        return
    table = _table("Failed", "Ticket", "Claim, counterexample", "When")
    for finding in report.findings[:FINDINGS_SHOWN]:
        since = "" if finding.later is None else f"\nnow {finding.later}"
        table.add_row(
            Text(finding.status + since, style="dim" if finding.settled else "red"),
            _text(finding.ticket_id, 64),
            _text(what(finding), 300),
            Text(f"{finding.started_at:%Y-%m-%d %H:%M}"),
        )
    yield from _section("What failed", table)
    rest = len(report.findings) - FINDINGS_SHOWN
    more = f"and {rest} more: " if rest > 0 else ""
    yield Text(f"{more}`refute report --html FILE` shows each in full, with its reproducer", style="dim")


def what(finding: Finding) -> str:
    """Claim and counterexample in short, else the reason."""
    outcome = finding.outcome
    if outcome is None or not outcome.failures:
        return on_one_line(finding.reason)
    first = outcome.failures[0]
    given = first.smallest_input.replace("\n", ", ")
    said = next(iter(first.error_message.splitlines()), "")
    claim = in_brief(first.claim_text)[:120]
    return f"{first.claim_violated}: {claim} ✗ {given[:80]}{' → ' if given else ''}{said[:100]}"


def _tables(report: Report) -> Iterator[RenderableType]:
    totals, tables = report.totals, report.tables
    figures = Table(box=None, show_header=False, padding=(0, 3, 0, 0), pad_edge=False)
    for name, value in (
        ("claims refuted", rate(totals.refuted)),
        ("tests flaky", rate(totals.flaky)),
        ("tests invalid", rate(totals.invalid)),
        ("tests rejected by the screen", rate(totals.rejected)),
        ("mutants killed", rate(totals.mutants_killed)),
        ("cost per run", usd(totals.cost_per_run_usd)),
        ("cost per ticket", usd(totals.cost_per_ticket_usd)),
        ("cost per refutation", usd(totals.cost_per_refutation_usd)),
        ("cost per PASS", usd(totals.cost_per_pass_usd)),
        ("run time, p50 / p95", f"{seconds(totals.p50_s)} / {seconds(totals.p95_s)}"),
        ("time in containers", seconds(totals.sandbox_s)),
        ("queue time in a batch, p50 / p95", queue_time(totals)),
        ("time to approval, p50 / p95", answer_time(totals)),
        ("people's answers", answers(totals)),
    ):
        figures.add_row(name, value)
    yield from _section("Figures", figures)
    status = tables.by_status.sort_values("runs", ascending=False)
    yield from _section("By status", _plain(status, "Status", ("runs", "cost_usd", "p50_s", "p95_s")))
    yield from _section(f"By day, the last {DAYS_SHOWN}", _runs(tables.by_day.tail(DAYS_SHOWN)[::-1], "Day"))
    if len(tables.by_week) > 1:
        weeks = tables.by_week.tail(WEEKS_SHOWN)[::-1]
        yield from _section(f"By week, the last {WEEKS_SHOWN}", _runs(weeks, "Week of"))
    yield from _section("By tester", _runs(tables.by_tester, "Tester"))
    yield from _section("By label", _runs(tables.by_label, "Label"))
    yield from _section(
        "Tests by claim category",
        _plain(tables.by_category, "Category", [str(name) for name in tables.by_category.columns]),
    )
    yield from _section(
        "Runs by strength of the attack", _plain(tables.by_strength, "Lower end", strength_columns(report))
    )
    if asked_models(report):
        yield from _section("By model tier", _plain(tables.by_tier, "Tier", tier_columns(report)))
    yield from _section("By model", _models(tables.by_model))
    if tables.by_model["runs"].any():
        runs = _plain(tables.by_model, "Model", model_run_columns(report))
        yield from _section("Runs by the models that they called", runs)


def _runs(frame: pd.DataFrame, heading: str) -> Table:
    groups = [group.value for group in Group if frame[group.value].any()]
    return _plain(frame, heading, ("runs", *groups, "refuted", "cost_usd", "p50_s", "p95_s"))


def _models(frame: pd.DataFrame) -> Table:
    tokens = ("input_tokens", "cached_tokens", "output_tokens", "thinking_tokens")
    return _plain(frame, "Model", ("calls", *tokens, "cost_usd", "saved_usd", "latency_p95_s"))


def _plain(frame: pd.DataFrame, heading: str, names: "tuple[str, ...] | list[str]") -> Table:
    table = _table()
    table.add_column(heading, no_wrap=True, min_width=10)
    for name in names:
        table.add_column(HEADINGS.get(name, name.replace("_", " ")), justify="right", no_wrap=True)
    for key, row in frame.iterrows():
        table.add_row(_key(key), *(cell(name, row) for name in names))
    return table


def strength_columns(report: Report) -> list[str]:
    """Of the table by strength, as every format shows it."""
    frame = report.tables.by_strength
    return ["runs", *(group.value for group in Group if frame[group.value].any())]


def model_run_columns(report: Report) -> list[str]:
    """Of the table of runs by model, as every format shows it."""
    frame = report.tables.by_model
    return ["runs", *(group.value for group in Group if frame[group.value].any())]


def asked_models(report: Report) -> bool:
    """Whether any run asked a model; a table by tier would say nothing else."""
    return bool(set(report.tables.by_tier.index) - {NO_MODEL})


def tier_columns(report: Report) -> list[str]:
    """Of the table by tier, as every format shows it."""
    frame = report.tables.by_tier
    groups = [group.value for group in Group if frame[group.value].any()]
    return ["runs", "share", *groups, "refuted", "cost_usd"]


HEADINGS: Final[Mapping[str, str]] = {
    "cost_usd": "cost",
    "p50_s": "p50",
    "p95_s": "p95",
    "saved_usd": "saved by cache",
    "latency_s": "mean time",
    "latency_p95_s": "p95 time",
    "share": "of runs",
}


def cell(name: str, row: "pd.Series[float]") -> str:
    """One cell as every format shows it."""
    if name == "refuted" and name not in row.index:
        return short_rate(Rate(hits=int(row["claims_refuted"]), tries=int(row["claims_judged"])))
    if name == "share":
        return percent(row[name])
    if name.endswith("_usd"):
        return usd(row[name])
    if name.endswith("_s"):
        return seconds(row[name])
    return f"{int(row[name]):,}"


def _key(key: object) -> Text:
    return _text(f"{key:%Y-%m-%d}" if isinstance(key, pd.Timestamp) else str(key), 64)


def _table(*headings: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _text(text: str, max_chars: int) -> Text:
    return Text(printable(text, max_chars=max_chars, keep_newlines=False))


def _section(title: str, body: Table) -> Iterator[RenderableType]:
    if body.row_count:
        yield Text(f"\n{title}", style="bold underline")
        yield body
