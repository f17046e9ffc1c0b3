"""A report as Markdown, for the Prefect UI: what failed with links to runs, what it cost, whether the budget holds."""

from collections.abc import Iterator
from typing import Any, Final

from refute.guardrails.plain_text import markdown_text
from reports.artifacts import path_of
from reports.findings import Finding
from reports.html import shown_tables
from reports.phrases import budget_line, rate, seconds, unpriced, usd
from reports.report import Report
from reports.terminal import what
from reports.waiting import answer_time, answers, queue_time
from reports.wording import counted

ROWS_SHOWN: Final = 31
MAX_CELL_CHARS: Final = 300


def render_report_markdown(report: Report) -> str:
    """All of a report but the charts and the reproducers."""
    totals, failing = report.totals, len(report.totals.failing_tickets)
    cost = ", ".join(filter(None, [usd(totals.cost_usd), unpriced(totals.unpriced_calls)]))
    ends = ", ".join(f"{count:,} {group}" for group, count in totals.groups.items() if count)
    parts = [
        f"# {counted(failing, 'ticket') if failing else 'No ticket'} failing now, of {totals.tickets:,}",
        f"**{markdown_text(budget_line(report.budget.state))}**",
        *(f"**{markdown_text(alert.words)}**" for alert in report.budget.alerts),
        markdown_text(f"{counted(totals.runs, 'run')}{': ' if ends else ''}{ends}; {cost}"),
        *_findings(report),
        *_figures(report),
    ]
    for table in shown_tables(report):
        parts += [f"## {table['title']}", _table(table["headings"], [[key, *cells] for key, cells in table["rows"]])]
    return "\n\n".join(parts) + "\n"


def _findings(report: Report) -> Iterator[str]:
    if report.findings:
        yield "## What failed"
        rows = [
            [
                markdown_text(finding.status + (f", now {finding.later}" if finding.later else "")),
                _linked(finding),
                markdown_text(what(finding), max_chars=MAX_CELL_CHARS),
                f"{finding.started_at:%Y-%m-%d %H:%M}",
            ]
            for finding in report.findings[:ROWS_SHOWN]
        ]
        yield _lines(["Status", "Ticket", "Claim, counterexample", "When (UTC)"], rows)
        if len(report.findings) > ROWS_SHOWN:
            yield f"and {len(report.findings) - ROWS_SHOWN} more"


def _linked(finding: Finding) -> str:
    """The ticket, with a link to the page of its run where there is one."""
    path = path_of(finding.outcome.flow_run_url) if finding.outcome else ""
    text = markdown_text(finding.ticket_id)
    return f"[{text}]({path})" if path else text


def _figures(report: Report) -> Iterator[str]:
    totals = report.totals
    yield "## Figures"
    figures = {
        "claims refuted": rate(totals.refuted),
        "tests flaky": rate(totals.flaky),
        "tests invalid": rate(totals.invalid),
        "tests rejected by the screen": rate(totals.rejected),
        "mutants killed": rate(totals.mutants_killed),
        "cost per ticket": usd(totals.cost_per_ticket_usd),
        "cost per refutation": usd(totals.cost_per_refutation_usd),
        "cost per PASS": usd(totals.cost_per_pass_usd),
        "run time, p50 / p95": f"{seconds(totals.p50_s)} / {seconds(totals.p95_s)}",
        "queue time in a batch, p50 / p95": queue_time(totals),
        "time to approval, p50 / p95": answer_time(totals),
        "people's answers": answers(totals),
        "time in containers": seconds(totals.sandbox_s),
    }
    yield _table(["Figure", ""], [list(one) for one in figures.items()])


def _table(headings: list[str], rows: list[list[str]]) -> str:
    shown = [[markdown_text(cell, max_chars=MAX_CELL_CHARS) for cell in row] for row in rows[:ROWS_SHOWN]]
    return _lines([markdown_text(one) for one in headings], shown)


def _lines(headings: list[str], rows: list[list[Any]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (headings, ["---"] * len(headings), *rows))
