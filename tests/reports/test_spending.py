"""What was spent: reservations as the hard stop counts them, and outcomes that none stands for, on both databases."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

from refute.ledger.accounts import LOST, Accounts, Queued
from refute.ledger.budgets import Budgets, Payer
from refute.ledger.store import Ledger
from refute.settings import Settings
from reports.document import render_json
from reports.html import render_html
from reports.report import make_report
from reports.scope import Scope
from reports.spending import read_spending
from reports.terminal import render_report
from tests.fakes.model_calls import fake_call
from tests.reports.conftest import ON_BOTH

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)


pytestmark = ON_BOTH


def reserve(ledger: Ledger, run_id: str, worst: str, at: datetime) -> None:
    accounts = Accounts(ledger, Budgets(ticket_usd=None), clock=lambda: at)
    accounts.reserve(Payer(run_id=run_id, ticket_id="T"), Decimal(worst), valid_s=600)


def test_reservations_count_while_they_hold_and_outcomes_only_where_none_stands_for_them(ledger, outcomes):
    costly = replace(outcomes["failed_adversarial"], cost_usd=Decimal("1.5"))
    ledger.record(replace(costly, run_id="imported"))
    ledger.record(replace(costly, run_id="reserved", started_at=NOW))
    reserve(ledger, "reserved", "0.25", NOW - timedelta(seconds=60))
    reserve(ledger, "expired", "9", NOW - timedelta(hours=1))
    assert read_spending(ledger, NOW).by_day == {date(2026, 3, 1): Decimal("1.5"), date(2026, 3, 5): Decimal("0.25")}


def call(ledger: Ledger, model: str, cost_usd: Decimal | None, *, latency_s: float = 0.5) -> None:
    """Ask a model once, and settle."""
    accounts, payer = Accounts(ledger, Budgets(ticket_usd=None), clock=lambda: NOW), Payer(run_id="r", ticket_id="T")
    reservation = accounts.reserve(payer, cost_usd, valid_s=600)
    assert not isinstance(reservation, Queued)
    assert accounts.mark_sent(reservation, payer, fake_call(cost_usd, model=model), answer_s=600)
    accounts.settle(reservation, fake_call(cost_usd, model=model, latency_s=latency_s))


def test_what_has_no_price_is_counted_beside_what_was_spent_and_never_shown_as_nothing(ledger, outcomes, tmp_path):
    ledger.record(replace(outcomes["pass_weak"], cost_usd=None, started_at=NOW))
    call(ledger, "own-model", None)
    call(ledger, "gemini-3.8-flash", Decimal("0.5"))
    report = make_report(ledger, Settings(state_dir=tmp_path), Scope(), NOW)
    for shown in (render_report(report, width=160), render_html(report)):
        assert "1 model call of unknown price not counted" in shown
        assert "the budget holds; 1 model call of unknown price not counted" in shown
    (own,) = [line for line in render_report(report, width=160).splitlines() if line.startswith("own-model")]
    assert "$" not in own
    (flash,) = [line for line in render_report(report, width=90).splitlines() if line.startswith("gemini-3.8-flash")]
    assert "  $0.50 " in flash  # figures are not cut on a narrow page
    document = json.loads(render_json(report))
    assert document["totals"]["unpriced_calls"] == document["budget"]["unpriced_calls"] == 1
    assert [row["cost_usd"] for row in document["tables"]["by_model"]] == [0.5, None]


def test_calls_whose_answers_were_lost_are_told_with_the_worst_case_that_they_count_at(ledger, tmp_path):
    payer = Payer(run_id="r", ticket_id="T")
    for worst, sent_at, settled in (("0.5", NOW, True), ("0.25", NOW - timedelta(hours=2), False), ("9", NOW, False)):
        accounts = Accounts(ledger, Budgets(ticket_usd=None), clock=lambda at=sent_at: at)  # type: ignore[misc]
        held = accounts.reserve(payer, Decimal(worst), valid_s=600)
        assert not isinstance(held, Queued)
        lost = fake_call(Decimal(worst), model="gemini-3.8-flash", ending=LOST)
        assert accounts.mark_sent(held, payer, lost, answer_s=600)  # the last one is still under way
        if settled:
            accounts.settle_at_worst(held, lost)
    report = make_report(ledger, Settings(state_dir=tmp_path), Scope(), NOW)
    for shown in (render_report(report, width=200), render_html(report)):
        assert "2 calls unreconciled, $0.75" in shown
    assert json.loads(render_json(report))["budget"]["unreconciled_usd"] == "0.75"
    assert report.tables["by_model"]["cost_usd"].to_dict() == {"gemini-3.8-flash": 0.75}
    assert report.tables["by_model"]["calls"].to_dict() == {"gemini-3.8-flash": 2}


def test_days_are_those_of_utc_and_reach_seven_days_into_the_month_before(ledger, outcomes):
    eastern = datetime(2026, 3, 2, 3, tzinfo=timezone(timedelta(hours=9)))
    for number, moment in enumerate((eastern, *(datetime(2026, 2, day, tzinfo=UTC) for day in (22, 21)))):
        ledger.record(replace(outcomes["blocked"], run_id=f"r{number}", started_at=moment, cost_usd=Decimal(1)))
    assert read_spending(ledger, NOW).by_day == {date(2026, 3, 1): Decimal(1), date(2026, 2, 22): Decimal(1)}


def test_the_busiest_day_of_costly_runs_is_counted(ledger, outcomes):
    assert read_spending(ledger, NOW).runs_a_day == 0
    for number, day in enumerate((1, 1, 1, 4)):
        moment = datetime(2026, 3, day, 23, 59, tzinfo=UTC)
        ledger.record(replace(outcomes["blocked"], run_id=f"r{number}", started_at=moment, cost_usd=Decimal(1)))
        ledger.record(replace(outcomes["blocked"], run_id=f"free{number}", started_at=moment, cost_usd=Decimal(0)))
    assert read_spending(ledger, NOW).runs_a_day == 3
