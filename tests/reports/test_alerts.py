"""A webhook is told of each alert once a month; one that fails is told again."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from refute.ledger.alerts import AlertMemory
from refute.ledger.store import Ledger
from refute.settings import Settings
from reports.alerts import Alert, budget_alerts, post_to, spike_alerts, tell, webhook_channel
from reports.budget import BudgetState, budget_state
from reports.rates import Rate
from reports.spikes import Spike, SpikeKind
from tests.fakes.webhook import WebhookReceiver, receiving


def state(spent: str, *, month: int = 11) -> BudgetState:
    return budget_state({date(2026, month, 2): Decimal(spent)}, Decimal(50), datetime(2026, month, 20, tzinfo=UTC))


@pytest.fixture
def webhook() -> Iterator[WebhookReceiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def memory(tmp_path: Path) -> AlertMemory:
    return AlertMemory(Ledger.open(Settings(state_dir=tmp_path / "state")), "webhook")


def names(alerts: list[Alert]) -> list[str]:
    return [alert.name for alert in alerts]


def test_alerts_are_the_thresholds_and_the_forecast() -> None:
    assert budget_alerts(state("10")) == []
    assert names(budget_alerts(state("41"))) == ["50", "80"]
    recent = budget_state({date(2026, 11, 19): Decimal(20)}, Decimal(50), datetime(2026, 11, 20, tzinfo=UTC))
    assert names(budget_alerts(recent)) == ["forecast"]


def test_a_webhook_is_told_of_each_alert_once_a_month(webhook: WebhookReceiver, memory: AlertMemory) -> None:
    def told(now: BudgetState) -> list[str]:
        return names(tell(budget_alerts(now), memory, post_to(webhook.url)))

    assert told(state("26")) == ["50"]
    assert told(state("27")) == []
    assert told(state("50")) == ["80", "100"]
    assert told(state("30", month=12)) == ["50"]
    assert [(event["event"], event["alert"], event["month"]) for event in webhook.told] == [
        ("refute.budget.threshold", "50", "2026-11"),
        ("refute.budget.threshold", "80", "2026-11"),
        ("refute.budget.exceeded", "100", "2026-11"),
        ("refute.budget.threshold", "50", "2026-12"),
    ]
    assert webhook.told[0]["spent_usd"] == "26"


def test_a_budget_that_was_raised_is_told_of_anew(webhook: WebhookReceiver, memory: AlertMemory) -> None:
    raised = budget_state({date(2026, 11, 2): Decimal(60)}, Decimal(100), datetime(2026, 11, 20, tzinfo=UTC))
    tell(budget_alerts(state("26")), memory, post_to(webhook.url))
    assert names(tell(budget_alerts(raised), memory, post_to(webhook.url))) == ["50"]


@pytest.mark.parametrize("status", [500, 302])
def test_what_a_webhook_did_not_take_is_told_again(webhook: WebhookReceiver, memory: AlertMemory, status: int) -> None:
    webhook.status = status
    with pytest.raises(OSError, match=str(status)):
        tell(budget_alerts(state("26")), memory, post_to(webhook.url))
    webhook.status = 200
    assert names(tell(budget_alerts(state("26")), memory, post_to(webhook.url))) == ["50"]
    assert len(webhook.told) == 2


def test_only_http_is_a_webhook(memory: AlertMemory) -> None:
    with pytest.raises(OSError, match="expected https or http"):
        tell(budget_alerts(state("26")), memory, post_to("file:///etc/passwd"))


def test_the_name_of_a_webhook_s_memory_gives_no_secret_away() -> None:
    assert "token" not in webhook_channel("https://chat.example/hook/token")


def test_a_spike_is_told_of_once_a_day_with_both_shares() -> None:
    spike = Spike(kind=SpikeKind.FAILED, recent=Rate(hits=9, tries=10), usual=Rate(hits=10, tries=100))
    (alert,) = spike_alerts([spike], datetime(2026, 11, 20, 7, tzinfo=UTC))
    assert (alert.event, alert.name, alert.period) == ("refute.failrate.spike", "failed", "2026-11-20")
    assert "90.0%" in alert.words
    assert "10.0%" in alert.words
