"""A webhook is told of each alert once a month; one that fails is told again."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from reports.alerts import alerts_of, tell
from reports.budget import BudgetState, budget_state


def state(spent: str, *, month: int = 11) -> BudgetState:
    return budget_state({date(2026, month, 2): Decimal(spent)}, Decimal(50), datetime(2026, month, 20, tzinfo=UTC))


class Webhook(HTTPServer):
    """Keeps what it was told; answers with `status`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.told: list[dict[str, Any]] = []
        self.status = 204

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook"


class Handler(BaseHTTPRequestHandler):
    """Keeps each POST."""

    server: Webhook

    def do_POST(self) -> None:
        self.server.told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(self.server.status)
        self.send_header("Location", self.server.url)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        del args


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    server = Webhook()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_alerts_are_the_thresholds_and_the_forecast() -> None:
    assert alerts_of(state("10")) == []
    assert alerts_of(state("41")) == ["50", "80"]
    recent = budget_state({date(2026, 11, 19): Decimal(20)}, Decimal(50), datetime(2026, 11, 20, tzinfo=UTC))
    assert alerts_of(recent) == ["forecast"]


def test_a_webhook_is_told_of_each_alert_once_a_month(webhook: Webhook, tmp_path: Path) -> None:
    memory = tmp_path / "state" / "alerts.json"
    assert tell(state("26"), webhook.url, memory) == ["50"]
    assert tell(state("27"), webhook.url, memory) == []
    assert tell(state("50"), webhook.url, memory) == ["80", "100"]
    assert tell(state("30", month=12), webhook.url, memory) == ["50"]
    assert [(event["event"], event["alert"], event["month"]) for event in webhook.told] == [
        ("refute.budget.threshold", "50", "2026-11"),
        ("refute.budget.threshold", "80", "2026-11"),
        ("refute.budget.exceeded", "100", "2026-11"),
        ("refute.budget.threshold", "50", "2026-12"),
    ]
    assert webhook.told[0]["spent_usd"] == "26"


@pytest.mark.parametrize("status", [500, 302])
def test_what_a_webhook_did_not_take_is_told_again(webhook: Webhook, tmp_path: Path, status: int) -> None:
    webhook.status = status
    with pytest.raises(OSError, match=str(status)):
        tell(state("26"), webhook.url, tmp_path / "alerts.json")
    webhook.status = 200
    assert tell(state("26"), webhook.url, tmp_path / "alerts.json") == ["50"]
    assert len(webhook.told) == 2


def test_a_memory_that_cannot_be_read_counts_as_empty(webhook: Webhook, tmp_path: Path) -> None:
    (tmp_path / "alerts.json").write_text("[not json")
    assert tell(state("26"), webhook.url, tmp_path / "alerts.json") == ["50"]


def test_only_http_is_a_webhook(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="expected https or http"):
        tell(state("26"), "file:///etc/passwd", tmp_path / "alerts.json")
