"""A report as one HTML file: no script, no network, light and dark, readable on a phone and on a wall."""

from datetime import datetime, timedelta
from typing import Any, Final

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from refute.guardrails.plain_text import on_one_line, printable
from refute.recording import reproducer_name
from reports import charts, phrases
from reports.artifacts import artifact_key
from reports.groups import GROUPS, Group
from reports.report import Report
from reports.terminal import (
    HEADINGS,
    asked_models,
    cell,
    model_run_columns,
    strength_columns,
    tier_columns,
)
from reports.waiting import answer_time, answers, queue_time
from reports.wording import MEANING, counted, model_lines

MAX_REPRODUCER_CHARS: Final = 8_000
MAX_TEXT_CHARS: Final = 2_000
FAILURES_SHOWN: Final = 5
FINDINGS_OPEN: Final = 6
"""Findings above the charts; the others unfold."""
DAYS_SHOWN: Final = 31
WEEKS_SHOWN: Final = 26
SAME_YEAR: Final = timedelta(days=300)
"""What is older is shown with its year: of a longer history a day and a month name two days."""
TOKENS: Final = ("input_tokens", "cached_tokens", "output_tokens", "thinking_tokens")
BY_TIER: Final = "By model tier"
MODEL_COLUMNS: Final = ["calls", *TOKENS, "cost_usd", "saved_usd", "latency_s", "latency_p95_s"]


def render_html(report: Report) -> str:
    """The whole page."""
    environment = Environment(
        loader=PackageLoader("reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "plain": _plain,
        "line": _line,
        "prose": on_one_line,
        "breakable": _breakable,
        "usd": phrases.usd,
        "seconds": phrases.seconds,
    }
    environment.globals |= {
        "counted": counted,
        "moment": _moment,
        "rate": phrases.rate,
        "unpriced": phrases.unpriced,
        "queue_time": queue_time,
        "answer_time": answer_time,
        "answers": answers,
        "anchor": artifact_key,
        "model_lines": model_lines,
        "reproducer_name": reproducer_name,
    }
    shown = charts.periods(report.tables.by_day)
    return environment.get_template("report.html.j2").render(
        report=report,
        totals=report.totals,
        budget=report.budget,
        budget_line=phrases.budget_line(report.budget.state),
        status_charts=_both(lambda width: charts.status_chart(shown, width=width)),
        burn_charts=_both(lambda width: charts.burn_chart(report.budget.state, width=width)),
        unit=shown.unit,
        groups=[group for group in charts.STACK if report.totals.groups.get(group)],
        group_of=GROUPS,
        meaning=MEANING,
        tables=shown_tables(report),
        limits={"findings": FINDINGS_OPEN, "failures": FAILURES_SHOWN, "reproducer": MAX_REPRODUCER_CHARS},
    )


def _both(draw: Any) -> Markup:
    """A chart for wide screens and one for phones; the style sheet shows one of them."""
    made = Markup('<div class="wide">{}</div><div class="narrow">{}</div>')
    return made.format(draw(charts.WIDE), draw(charts.NARROW))


def _plain(text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """Untrusted text with its lines; the template escapes what of it would be markup."""
    return printable(text, max_chars=max_chars)


def _line(text: str, max_chars: int = 300) -> str:
    """Untrusted text on one line."""
    return printable(text, max_chars=max_chars, keep_newlines=False)


def _breakable(name: str) -> Markup:
    """A name that may go on in a new line after each `_`."""
    return escape(name).replace("_", Markup("_<wbr>"))


def _moment(at: datetime, now: datetime) -> str:
    """When a run started, short; with its year instead of its time where it is long ago."""
    return f"{at:%d %b %H:%M}" if now - at < SAME_YEAR else f"{at:%d %b %Y}"


def shown_tables(report: Report) -> list[dict[str, Any]]:
    """Title, headings and rows of cells, as text."""
    tables = report.tables
    status = tables.by_status.sort_values("runs", ascending=False)
    weeks = tables.by_week.tail(WEEKS_SHOWN)[::-1]
    made = [
        _table("By status", "Status", status, ["runs", "cost_usd", "p50_s", "p95_s"]),
        _table("Tests by claim category", "Category", tables.by_category, list(map(str, tables.by_category.columns))),
        _table("By tester", "Tester", tables.by_tester, _run_columns(tables.by_tester)),
        _table("By label", "Label", tables.by_label, _run_columns(tables.by_label)),
        _table("Runs by strength of the attack", "Lower end", tables.by_strength, strength_columns(report)),
        _table(BY_TIER, "Tier", tables.by_tier, tier_columns(report)),
        _table("By model", "Model", tables.by_model, MODEL_COLUMNS),
        _table(
            "Runs by the models that they called",
            "Model",
            tables.by_model[tables.by_model["runs"] > 0],
            model_run_columns(report),
        ),
        _table("By day", "Day", tables.by_day.tail(DAYS_SHOWN)[::-1], _run_columns(tables.by_day)),
        _table("By week", "Week of", weeks, _run_columns(tables.by_week)),
    ]
    return [table for table in made if table["rows"] and (table["title"] != BY_TIER or asked_models(report))]


def _run_columns(frame: pd.DataFrame) -> list[str]:
    groups = [group.value for group in Group if frame[group.value].any()]
    return ["runs", *groups, "refuted", "cost_usd", "p50_s", "p95_s"]


def _table(title: str, heading: str, frame: pd.DataFrame, names: list[str]) -> dict[str, Any]:
    keys = [f"{key:%Y-%m-%d}" if isinstance(key, pd.Timestamp) else str(key) for key in frame.index]
    cells = [[cell(name, row) for name in names] for _, row in frame.iterrows()]
    headings = [HEADINGS.get(name, name.replace("_", " ")) for name in names]
    return {"title": title, "headings": [heading, *headings], "rows": list(zip(keys, cells, strict=True))}
