"""A webhook is told of each alert once a month; one that fails is told again."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from refute.ledger.alerts import AlertMemory
from refute.ledger.store import Ledger
from refute.outcome import Outcome, Status
from refute.settings import Settings
from refute.statistics.rate import Rate
from reports.alerts import Alert, budget_alerts, post_to, spike_alerts, tell, webhook_channel
from reports.budget import BudgetState, Spending, budget_state
from reports.groups import Group
from reports.spikes import Spike, find_spikes, is_spike
from tests.fakes.webhook import WebhookReceiver, receiving


def state(spent: str, *, month: int = 11) -> BudgetState:
    return budget_state(
        Spending(by_day={date(2026, month, 2): Decimal(spent)}), Decimal(50), datetime(2026, month, 20, tzinfo=UTC)
    )


@pytest.fixture
def webhook() -> Iterator[WebhookReceiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def memory(tmp_path: Path) -> AlertMemory:
    return AlertMemory(Ledger.open(Settings(state_dir=tmp_path / "state")), "webhook")


def names(alerts: list[Alert]) -> list[str]:
    return [alert.name for alert in alerts]


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


@pytest.mark.parametrize("status", [500, 302])
def test_what_a_webhook_did_not_take_is_told_again(webhook: WebhookReceiver, memory: AlertMemory, status: int) -> None:
    webhook.status = status
    with pytest.raises(OSError, match=str(status)):
        tell(budget_alerts(state("26")), memory, post_to(webhook.url))
    webhook.status = 200
    assert names(tell(budget_alerts(state("26")), memory, post_to(webhook.url))) == ["50"]
    assert len(webhook.told) == 2


def test_only_http_is_a_webhook(memory: AlertMemory) -> None:
    with pytest.raises(OSError, match="UnsupportedProtocol"):
        tell(budget_alerts(state("26")), memory, post_to("file:///etc/passwd"))


def test_the_name_of_a_webhook_s_memory_gives_no_secret_away() -> None:
    assert "token" not in webhook_channel("https://chat.example/hook/token")


def test_a_spike_is_told_of_once_a_day_with_both_shares() -> None:
    spike = Spike(kind=Group.FAILED, recent=Rate(hits=9, trials=10), usual=Rate(hits=10, trials=100))
    (alert,) = spike_alerts([spike], datetime(2026, 11, 20, 7, tzinfo=UTC))
    assert (alert.event, alert.name, alert.period) == ("refute.failrate.spike", "failed", "2026-11-20")
    assert all(share in alert.words for share in ("90.0%", "10.0%"))


NOW = datetime(2026, 11, 20, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("recent", "usual", "expected"),
    [
        ((9, 10), (5, 100), True),
        ((9, 9), (5, 100), False),  # too few to say
        ((9, 10), (5, 19), False),  # nothing usual yet
        ((3, 10), (10, 100), False),  # may be chance
        ((1_300, 10_000), (1_000, 100_000), True),
        ((600, 10_000), (500, 100_000), False),  # sure, and too small to matter
    ],
)
def test_a_spike_is_beyond_chance_and_large(recent: tuple[int, int], usual: tuple[int, int], *, expected: bool) -> None:
    assert is_spike(*(Rate(hits=hits, trials=tries) for hits, tries in (recent, usual))) is expected


def test_the_last_day_is_compared_with_the_two_weeks_before_it(tmp_path: Path, outcomes: dict[str, Outcome]) -> None:
    ledger = Ledger.open(Settings(state_dir=tmp_path))
    one = outcomes["failed_verification"]

    def ran(count: int, status: Status, ago: timedelta) -> None:
        for number in range(count):
            run_id = f"{status}-{ago}-{number}"
            ledger.record(replace(one, run_id=run_id, status=status, started_at=NOW - ago))

    ran(20, Status.PASS, timedelta(days=3))
    ran(5, Status.FAILED_IMPORT, timedelta(days=20))  # too long ago to count
    ran(10, Status.ERROR, timedelta(hours=2))
    ran(30, Status.SKIPPED_BUDGET, timedelta(hours=2))  # was not tried
    (spike,) = find_spikes(ledger, NOW)
    assert (spike.kind, spike.recent, spike.usual) == (Group.ERROR, Rate(hits=10, trials=10), Rate(hits=0, trials=20))
    assert find_spikes(ledger, NOW + timedelta(days=2)) == ()
