"""A report, told once: its first lines, what failed, its figures and tables, for terminal, Markdown and page."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pandas as pd

from refute.guardrails.plain_text import on_one_line, printable
from refute.statistics.rate import Rate
from refute.wording import counted
from reports.aggregate import NO_MODEL, Totals
from reports.artifacts import path_of
from reports.findings import Finding
from reports.groups import Group
from reports.phrases import NOTHING, percent, rate, seconds, short_rate, unpriced, usd
from reports.report import Report
from reports.sections import Grid, Link, Part, Section
from reports.wording import in_brief

SUMMARY: Final = ("refuted", "cost_usd", "p50_s", "p95_s")
TOKENS: Final = ("input_tokens", "cached_tokens", "output_tokens", "thinking_tokens")
HEADINGS: Final[Mapping[str, str]] = {
    "input_tokens": "tokens in",
    "cached_tokens": "cached",
    "output_tokens": "tokens out",
    "thinking_tokens": "thinking",
    "cost_usd": "cost",
    "p50_s": "p50",
    "p95_s": "p95",
    "saved_usd": "saved by cache",
    "latency_p95_s": "p95 time",
    "share": "of runs",
}
MAX_KEY_CHARS: Final = 64


def headline(totals: Totals) -> str:
    """What failed, in a line."""
    if not totals.runs:
        return "No outcomes: nothing has run yet, or no run matches the filters."
    failing = len(totals.failing_tickets)
    return f"{counted(failing, 'ticket') if failing else 'No ticket'} failing now, of {totals.tickets:,}"


def runs_line(totals: Totals) -> str:
    """How the runs ended and what they cost."""
    ends = ", ".join(f"{count:,} {group}" for group, count in totals.groups.items() if count)
    cost = ", ".join(filter(None, [usd(totals.cost_usd), unpriced(totals.unpriced_calls)]))
    return f"{counted(totals.runs, 'run')}: {ends}; {cost}" if totals.runs else "no runs"


def sections(report: Report, *, findings: int, periods: int) -> Iterator[Section]:
    """What failed, the figures, the tables.

    Args:
        report: what to show.
        findings: how many at most.
        periods: days and weeks at most, the newest.
    """
    if report.findings:
        rest = len(report.findings) - findings
        more = f"and {rest} more: " if rest > 0 else ""
        remark = f"{more}`refute report --html FILE` shows each in full, with its reproducer"
        parts: list[Part] = [_failed(report.findings[:findings]), remark]
        yield Section(title="What failed", parts=parts)
    figures = list(figures_of(report.totals).items())
    yield Section(title="Figures", parts=[Grid(headings=("Figure", ""), rows=figures)])
    for title, grid in tables(report, periods=periods).items():
        yield Section(title=title, parts=[grid])


def _failed(findings: Sequence[Finding]) -> Grid:
    rows = [
        (
            one.status + (f", now {one.later}" if one.later else ""),
            Link(text=one.ticket_id, path=path_of(one.outcome.flow_run_url) if one.outcome else ""),
            what(one),
            f"{one.started_at:%Y-%m-%d %H:%M}",
        )
        for one in findings
    ]
    styles = ["dim" if one.settled else "red" for one in findings]
    return Grid(headings=("Failed", "Ticket", "Claim, counterexample", "When (UTC)"), rows=rows, styles=styles)


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


def figures_of(totals: Totals) -> dict[str, str]:
    """Name → number, an unknown one as a dash."""
    answers = [f"{count} {answer}" for answer, count in totals.answers.items() if count]
    if totals.overrides:
        answers.append(f"{counted(totals.overrides, 'dangerous script')} let through")
    asked = sum(totals.answers.values())
    return {
        "claims refuted": rate(totals.refuted),
        "tests flaky": rate(totals.flaky),
        "tests invalid": rate(totals.invalid),
        "tests rejected by the screen": rate(totals.rejected),
        "mutants killed": rate(totals.mutants_killed),
        "cost per run": usd(totals.cost_per_run_usd),
        "cost per ticket": usd(totals.cost_per_ticket_usd),
        "cost per refutation": usd(totals.cost_per_refutation_usd),
        "cost per PASS": usd(totals.cost_per_pass_usd),
        "run time, p50 / p95": f"{seconds(totals.p50_s)} / {seconds(totals.p95_s)}",
        "time in containers": seconds(totals.sandbox_s),
        "queue time in a batch, p50 / p95": _waited(totals.queue_p50_s, totals.queue_p95_s, totals.queued),
        "time to approval, p50 / p95": _waited(totals.answer_p50_s, totals.answer_p95_s, asked),
        "people's answers": ", ".join(answers) or NOTHING,
    }


def _waited(p50_s: float | None, p95_s: float | None, runs: int) -> str:
    return f"{seconds(p50_s)} / {seconds(p95_s)} of {counted(runs, 'run')}" if runs else NOTHING


def tables(report: Report, *, periods: int) -> dict[str, Grid]:
    """Title → table, those that have rows."""
    made = report.tables
    tiers, models, categories = made["by_tier"], made["by_model"], made["by_category"]
    asked = tiers if set(tiers.index) - {NO_MODEL} else tiers.iloc[:0]  # else it says nothing
    status = made["by_status"].sort_values("runs", ascending=False)
    model = ("calls", *TOKENS, "cost_usd", "saved_usd", "latency_p95_s")
    found = {
        "By status": _grid("Status", status, ("runs", "cost_usd", "p50_s", "p95_s")),
        "Tests by claim category": _grid("Category", categories, tuple(map(str, categories.columns))),
        "By tester": _runs("Tester", made["by_tester"], *SUMMARY),
        "By label": _runs("Label", made["by_label"], *SUMMARY),
        "Runs by strength of the attack": _runs("Lower end", made["by_strength"]),
        "By model tier": _grid("Tier", asked, ("runs", "share", *_ends(asked), "refuted", "cost_usd")),
        "By model": _grid("Model", models, model),
        "Runs by the models that they called": _runs("Model", models[models["runs"] > 0]),
        "By day": _runs("Day", made["by_day"], *SUMMARY, newest=periods),
        "By week": _runs("Week of", made["by_week"], *SUMMARY, newest=periods),
    }
    return {title: grid for title, grid in found.items() if grid.rows}


def _runs(heading: str, frame: pd.DataFrame, *names: str, newest: int | None = None) -> Grid:
    """Runs and how they ended, then these columns; of periods the newest first."""
    rows = frame if newest is None else frame.tail(newest)[::-1]
    return _grid(heading, rows, ("runs", *_ends(frame), *names))


def _ends(frame: pd.DataFrame) -> list[str]:
    """The columns of the endings that occur."""
    return [group.value for group in Group if frame[group.value].any()]


def _grid(heading: str, frame: pd.DataFrame, names: tuple[str, ...]) -> Grid:
    rows = [[_key(key), *(_cell(name, row) for name in names)] for key, row in frame.iterrows()]
    headings = [heading, *(HEADINGS.get(name, name.replace("_", " ")) for name in names)]
    return Grid(headings=headings, rows=rows, numbers=True)


def _key(key: object) -> str:
    text = f"{key:%Y-%m-%d}" if isinstance(key, pd.Timestamp) else str(key)
    return printable(text, max_chars=MAX_KEY_CHARS, keep_newlines=False)


def _cell(name: str, row: "pd.Series[float]") -> str:
    if name == "refuted" and name not in row.index:
        return short_rate(Rate(hits=int(row["claims_refuted"]), trials=int(row["claims_judged"])))
    if name == "share":
        return percent(row[name])
    if name.endswith("_usd"):
        return usd(row[name])
    if name.endswith("_s"):
        return seconds(row[name])
    return f"{int(row[name]):,}"
