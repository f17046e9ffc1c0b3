"""The report as Markdown, which the Prefect UI shows, and links that work from whichever address one reads it at."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from refute.ledger.store import Ledger
from refute.outcome import Outcome
from refute.settings import Settings
from reports.report import make_report
from reports.report_markdown import render_report_markdown
from reports.scope import Scope
from reports.ui_links import artifact_path, path_of


def test_the_markdown_tells_what_failed_with_a_link_then_cost_budget_and_tables(
    tmp_path: Path, outcomes: dict[str, Outcome]
) -> None:
    settings = Settings(state_dir=tmp_path)
    ledger = Ledger.open(settings)
    for outcome in outcomes.values():
        ledger.record(replace(outcome, flow_run_url="http://server:4200/runs/task-run/1"))
    shown = render_report_markdown(make_report(ledger, settings, Scope(), datetime(2026, 3, 2, tzinfo=UTC)))
    ledger.close()
    assert shown.startswith("# 3 tickets failing now, of 4\n")
    assert "[TCK-101](/runs/task-run/1)" in shown.replace("\\-", "-")
    assert "<script>" not in shown
    assert "\x1b" not in shown
    assert shown.index("## What failed") < shown.index("## Figures") < shown.index("## By status")
    rows = [line.replace("\\|", "") for line in shown.splitlines() if "/runs/task-run/1" in line]
    assert [row.count("|") for row in rows] == [5, 5, 5], "a cell with a text of somebody else's has ended a row"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://127.0.0.1:4200/runs/flow-run/1", "/runs/flow-run/1"),
        ("https://prefect.example/ui/runs/task-run/1", "/ui/runs/task-run/1"),
        ("javascript:alert(1)//runs/", ""),
        ("", ""),
    ],
)
def test_links_are_paths_since_each_reader_has_an_address_of_their_own(url: str, path: str) -> None:
    assert path_of(url) == path


def test_an_artifact_s_page_lies_where_the_runs_do() -> None:
    assert artifact_path("https://prefect.example/ui/runs/task-run/1", "1") == "/ui/artifacts/artifact/1"
    assert artifact_path("", "1") == "/artifacts/artifact/1"
