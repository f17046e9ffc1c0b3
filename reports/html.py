"""A report as one HTML file: no script, no network, light and dark, readable on a phone and on a wall."""

from datetime import datetime, timedelta
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from refute.guardrails.plain_text import on_one_line, printable
from refute.recording import reproducer_name
from refute.wording import counted
from reports import charts, phrases
from reports.artifacts import artifact_key
from reports.groups import GROUPS
from reports.report import Report
from reports.shown import figures_of, tables
from reports.wording import MEANING, model_lines

MAX_REPRODUCER_CHARS: Final = 8_000
MAX_TEXT_CHARS: Final = 2_000
FAILURES_SHOWN: Final = 5
FINDINGS_OPEN: Final = 6
"""Findings above the charts; the others unfold."""
PERIODS_SHOWN: Final = 31
"""Days and weeks in tables."""
SAME_YEAR: Final = timedelta(days=300)
"""What is older is shown with its year: of a longer history a day and a month name two days."""


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
        "anchor": artifact_key,
        "model_lines": model_lines,
        "reproducer_name": reproducer_name,
    }
    shown = charts.periods(report.tables["by_day"])
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
        figures=figures_of(report.totals),
        tables=tables(report, periods=PERIODS_SHOWN),
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
