"""`refute report`: filters, formats, exit codes by meaning."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from flows.program import refute
from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.settings import Settings
from reports.artifacts import StoredRecords
from tests.fakes.outcomes import fake_outcome

Report = Callable[..., Result]


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """The ledger that the command reads."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REFUTE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("REFUTE_COSTS_CSV", str(tmp_path / "costs.csv"))
    monkeypatch.setenv("REFUTE_MONTH_BUDGET_USD", "50")
    return Ledger.open(Settings.load())


@pytest.fixture
def report(ledger: Ledger) -> Report:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(refute, ["report", *arguments], standalone_mode=False)

    return run


def outcome(ticket: str = "T-1", status: Status = Status.PASS, cost: str = "0", day: int | None = None) -> Outcome:
    """Of a day in March, or of this moment."""
    return fake_outcome(
        ticket,
        run_id=f"run-{ticket}",
        status=status,
        started_at=datetime(2026, 3, day, 23, 30, tzinfo=UTC) if day else datetime.now(UTC),
        cost_usd=Decimal(cost),
        labels=(f"label-{ticket}",),
    )


@pytest.mark.parametrize(
    ("filters", "tickets"),
    [
        (["--since", "2026-03-02"], {"T-2", "T-3"}),
        (["--until", "2026-03-02"], {"T-1", "T-2"}),
        (["--since", "2026-03-03T00:30+01:00"], {"T-2", "T-3"}),
        (["--status", "failed_timeout", "--status", "ERROR"], {"T-2", "T-3"}),
        (["--label", "label-T-1"], {"T-1"}),
        (["--ticket", "T-1", "--ticket", "T-3"], {"T-1", "T-3"}),
    ],
)
def test_filters_hold_together(ledger, report, filters, tickets):
    for number, status in enumerate((Status.PASS, Status.FAILED_TIMEOUT, Status.ERROR), start=1):
        ledger.record(outcome(f"T-{number}", status, day=number))
    done = report(*filters, "--json")
    assert done.return_value == 0
    assert json.loads(done.output)["totals"]["runs"] == len(tickets)
    labels = {row["label"].removeprefix("label-") for row in json.loads(done.output)["tables"]["by_label"]}
    assert labels == tickets


def test_the_page_is_written_and_named(ledger, report, tmp_path):
    ledger.record(outcome())
    done = report("--html", str(tmp_path / "new" / "report.html"))
    assert (done.return_value, done.stdout) == (0, "")
    assert "wrote" in done.stderr
    assert (tmp_path / "new" / "report.html").read_text().startswith("<!doctype html>")


def test_a_page_that_cannot_be_written_is_told_first(report):
    done = report("--html", "/proc/nowhere/report.html")
    assert "cannot be written" in str(done.exception)


@pytest.mark.parametrize(
    ("cost", "code", "said"),
    [("1", 0, ""), ("26", 18, "refute: budget alert: "), ("50", 14, "refute: budget exceeded: ")],
)
def test_the_budget_s_exit_code_says_whether_it_holds(ledger, report, cost, code, said, monkeypatch):
    last_moment = datetime(2026, 3, 31, 23, 59, tzinfo=UTC)
    monkeypatch.setattr(
        "flows.commands.report.datetime", type("Clock", (), {"now": staticmethod(lambda _: last_moment)})
    )
    ledger.record(replace(outcome(cost=cost), started_at=datetime(2026, 3, 3, tzinfo=UTC)))
    done = report("--budget")
    assert done.return_value == code
    assert done.stderr.startswith(said)
    assert bool(done.stderr) == bool(said)
    assert f"${cost}.00 of $50.00 spent" in done.stdout
    assert "1 run a day × 30 × $0.50 a run = $15.00" in " ".join(done.stdout.split())


def test_a_webhook_that_fails_never_hides_the_budget(ledger, report):
    ledger.record(outcome(cost="60"))
    done = report("--budget", "--json", "--webhook", "http://127.0.0.1:1/hook")
    assert done.return_value == 14
    assert "the webhook was not told" in done.stderr
    assert json.loads(done.stdout)["budget"]["level"] == "exceeded"


def test_the_cost_table_is_appended_to_and_made_anew(ledger, report, tmp_path):
    ledger.record(outcome())
    assert report("--csv").stdout == f"{tmp_path}/costs.csv: 1 line appended\n"
    assert report("--csv").stdout.endswith("0 lines appended\n")
    (tmp_path / "costs.csv").write_text("spoilt")
    assert report("--csv", "--rebuild").stdout.endswith("1 line written\n")
    assert "T-1" in (tmp_path / "costs.csv").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--csv", "--budget"], "give one of them"),
        (["--rebuild"], "--rebuild needs --csv"),
        (["--webhook", "http://x"], "--webhook needs --budget"),
        (["--csv", "--html", "x"], "--csv: got --html, which it does not take (it takes --rebuild)"),
        (["--budget", "--html", "x"], "--budget: got --html, which it does not take (it takes --json, --webhook)"),
        (["--status", "PASSED"], "'PASSED' is not one of 'error', "),
        (["--since", "yesterday"], "got 'yesterday', expected a day (2026-11-22)"),
    ],
)
def test_wrong_options_are_told_with_what_is_expected(report, arguments, message):
    assert message in str(report(*arguments).exception.format_message())  # type: ignore[union-attr]


def test_alerts_go_where_the_setting_says(ledger, report, monkeypatch):
    posted: list[tuple[str, str]] = []
    monkeypatch.setattr("reports.alerts.post_to", lambda url: lambda alert: posted.append((url, alert.name)))
    monkeypatch.setenv("REFUTE_ALERT_WEBHOOK_URL", "https://chat.example/hook")
    ledger.record(outcome(cost="60"))
    assert report("--budget").return_value == 14
    assert ("https://chat.example/hook", "100") in posted
    once = list(posted)
    report("--budget")
    assert posted == once


def test_what_differs_is_told_to_programs_too(ledger, report, monkeypatch):
    ledger.record(outcome())
    monkeypatch.setattr("flows.commands.report.server_lease", lambda *_, **__: nullcontext("http://127.0.0.1:1/api"))
    monkeypatch.setattr("reports.artifacts.stored_records", lambda _: StoredRecords(outcomes=(), unreadable=("odd",)))
    done = report("--reconcile", "--json")
    found = json.loads(done.stdout)
    assert (done.return_value, found["differs"], found["unreadable"]) == (1, True, ["odd"])
    assert found["only_ledger"] == [{"run_id": "run-T-1", "ticket_id": "T-1", "attempt": 1}]
