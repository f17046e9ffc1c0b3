"""The HTML page and the other formats: what needs a person first, hostile text as text, nothing from outside."""

import json
import re
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html.parser import HTMLParser

import pytest
from sqlalchemy import update

from refute.ledger.schema import OUTCOMES
from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.settings import Settings
from reports.artifacts import artifact_path, path_of
from reports.document import render_json
from reports.html import render_html
from reports.report import Report, make_report
from reports.scope import Scope
from reports.terminal import render_report, render_report_markdown
from tests.fakes.outcomes import fake_use

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOSTILE = "\x1b[2J\u202e<img src=x onerror=alert(1)>&\"'</style>{{7*7}}"


@pytest.fixture(scope="module")
def report(outcomes: dict[str, Outcome], tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Outcomes of every kind; whatever an attacker controls is hostile."""
    home = tmp_path_factory.mktemp("report")
    bad = outcomes["failed_adversarial"]
    hostile = replace(
        bad,
        run_id="r2",
        labels=(HOSTILE.replace(" ", "_"),),
        title=HOSTILE,
        provenance=replace(bad.provenance, tester=HOSTILE),
        flow_run_url="javascript:alert(1)",
        failures=(replace(bad.failures[0], smallest_input=HOSTILE, test_name=HOSTILE, reproducer=HOSTILE),),
    )
    passed = replace(outcomes["blocked"], run_id="r3", status=Status.PASS, started_at=NOW)
    settings = Settings(state_dir=home, month_budget_usd=Decimal("0.05"))
    with closing(Ledger.open(settings)) as ledger:
        for outcome in [*outcomes.values(), hostile, passed]:
            ledger.record(outcome)
        return make_report(ledger, settings, Scope(), NOW)


@pytest.fixture(scope="module")
def page(report: Report) -> str:
    return render_html(report)


class Elements(HTMLParser):
    """Every element with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_page_loads_nothing_and_runs_nothing(page):
    elements = Elements(page).found
    assert not {"script", "img", "link", "iframe", "object", "form"} & {tag for tag, _ in elements}
    assert not [name for _, attributes in elements for name in attributes if name.startswith("on") or name == "src"]
    assert {attributes["href"] for tag, attributes in elements if tag == "a"} == {"#failed", "#figures", "#budget"}
    assert "url(" not in page
    assert "@import" not in page
    policy = next(attributes["content"] for tag, attributes in elements if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline';")


@pytest.mark.parametrize("render", [render_html, render_json, render_report])
def test_no_control_or_reordering_character_gets_through(report, render):
    text = render(report)  # type: ignore[operator]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)
    assert "49" not in re.findall(r"\{\{7\*7\}\}|\b49\b", text)


def test_the_page_tells_failure_cost_and_budget_first(page):
    texts = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    shown = " ".join(re.sub("<[^>]*>", " ", texts[: texts.index('id="failed"')]).split())
    assert "2 tickets failing now" in shown
    assert "$0.06 for 6 runs" in shown
    assert "Does the budget hold No $0.06 of $0.05 in 2026-03" in shown


def test_a_row_opens_to_claim_counterexample_and_reproducer(page):
    row = page[page.index("<details") : page.index("</details>")]
    assert "TCK-101" in row
    for heading in ("Claim", "Counterexample", "What happened", "Reproducer"):
        assert heading in row
    assert "&lt;img src=x onerror=alert(1)&gt;" in row


def test_the_page_of_an_empty_ledger_says_what_to_do(ledger, tmp_path):
    empty = make_report(ledger, Settings(state_dir=tmp_path), Scope(), NOW)
    assert "run `refute verify`, or widen the filters" in render_html(empty)
    assert "nothing has run yet" in render_report(empty)
    assert json.loads(render_json(empty))["totals"]["refuted"]["value"] is None


def test_the_page_names_its_filters_as_a_person_reads_them(ledger, tmp_path):
    scope = Scope(since=NOW - timedelta(microseconds=1), labels=("a", "b"))
    page = render_html(make_report(ledger, Settings(state_dir=tmp_path), scope, NOW))
    before = f"{scope.since:%Y-%m-%d %H:%M} UTC"
    assert f"since <bdi>{before}</bdi> · label <bdi>a or b</bdi>" in page


def test_the_json_holds_the_same_numbers(report):
    document = json.loads(render_json(report))
    assert document["totals"]["failing_tickets"] == ["TCK-101", "TCK-103"]
    assert document["budget"]["level"] == "exceeded"
    assert document["budget"]["spent_usd"] == "0.0628"
    assert document["findings"][0]["refutations"][0]["claim_id"] == "C2"
    row = document["tables"]["by_status"][0]
    assert (row["status"], row["runs"]) == ("BLOCKED_DANGEROUS_SCRIPT", 1)
    assert row.keys() == {"status", "runs", "cost_usd", "p50_s", "p95_s"}


def test_the_terminal_tells_what_failed_cost_and_budget_in_its_first_lines(report):
    lines = render_report(report, width=110).splitlines()
    assert lines[0] == "2 tickets failing now, of 4"
    assert lines[1].startswith("6 runs: 3 failed, 1 blocked, 1 weak, 1 passed; $0.06")
    assert lines[2].startswith("2026-03: $0.06 of $0.05 spent (126%)")
    assert [line for line in lines if len(line) > 110] == []


def test_an_outcome_that_cannot_be_read_is_shown_from_its_row(ledger, outcomes, tmp_path):
    ledger.record(outcomes["failed_adversarial"])
    with ledger.transaction(writes=True) as connection:
        connection.execute(update(OUTCOMES).values(document='{"of": "another version"}'))
    page = render_html(make_report(ledger, Settings(state_dir=tmp_path), Scope(), NOW))
    assert "written by another version of refute" in page
    assert "TCK-101" in page


def test_a_run_that_a_local_server_answered_is_marked(ledger, outcomes, tmp_path):
    server = "http://127.0.0.1:8080"
    use = fake_use(model="gemini-x<b>", calls=2, input_tokens=1_000, output_tokens=10, local_server=server)
    bad = outcomes["failed_adversarial"]
    ran = replace(bad.provenance, local_servers=(server,))
    ledger.record(replace(bad, models=(use,), provenance=ran))
    page = render_html(make_report(ledger, Settings(state_dir=tmp_path), Scope(), NOW))
    assert "gemini-x&lt;b&gt; (local server http://127.0.0.1:8080): 2 calls, 1,000 tokens in, 10 out" in page
    assert "A server of this machine answered, not Gemini:</strong> <bdi>http://127.0.0.1:8080" in page


def test_the_markdown_tells_what_failed_with_a_link_then_cost_budget_and_tables(ledger, tmp_path, outcomes):
    for outcome in outcomes.values():
        ledger.record(replace(outcome, flow_run_url="http://server:4200/runs/task-run/1"))
    shown = render_report_markdown(make_report(ledger, Settings(state_dir=tmp_path), Scope(), NOW))
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
def test_links_are_paths_since_each_reader_has_an_address_of_their_own(url, path):
    assert path_of(url) == path


def test_an_artifact_s_page_lies_where_the_runs_do():
    assert artifact_path("https://prefect.example/ui/runs/task-run/1", "1") == "/ui/artifacts/artifact/1"
    assert artifact_path("", "1") == "/artifacts/artifact/1"
