"""What is to be told of budget and failures, each once, and a webhook that is told of it."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import httpx

from refute.ledger.alerts import AlertMemory
from reports.budget import BudgetState, state_fields
from reports.phrases import budget_line, rate
from reports.spikes import Spike

THRESHOLD: Final = "refute.budget.threshold"
EXCEEDED: Final = "refute.budget.exceeded"
SPIKE: Final = "refute.failrate.spike"
FORECAST: Final = "forecast"
TIMEOUT_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One thing to be told."""

    event: str
    """`refute.budget.threshold`, `refute.budget.exceeded` or `refute.failrate.spike`."""
    name: str
    """`50`, `80`, `100`, `forecast`; `failed` or `error` for a spike."""
    period: str
    """Within which it is told once: a month with its budget, or a day."""
    words: str
    """For a person, on one line."""
    fields: dict[str, Any]
    """The numbers, as JSON values."""

    def document(self) -> dict[str, Any]:
        """The alert as one JSON object."""
        return {"event": self.event, "alert": self.name, "words": self.words, **self.fields}


Send = Callable[[Alert], None]
"""Tells one alert; raises OSError where that fails."""


def budget_alerts(state: BudgetState) -> list[Alert]:
    """The thresholds that are reached, then the forecast. A budget that was changed is told of anew."""
    names = [str(percent) for percent in state.reached_percent] + ([FORECAST] if state.forecast_exceeds else [])
    return [
        Alert(
            event=EXCEEDED if name == "100" else THRESHOLD,
            name=name,
            period=f"{state.month} {state.budget_usd:f}",
            words=f"{'the forecast is over the budget' if name == FORECAST else name + ' % reached'}: "
            + budget_line(state),
            fields=state_fields(state),
        )
        for name in names
    ]


def spike_alerts(spikes: Iterable[Spike], now: datetime) -> list[Alert]:
    """One a day for each kind."""
    return [
        Alert(
            event=SPIKE,
            name=spike.kind,
            period=f"{now:%Y-%m-%d}",
            words=f"{spike.words}: {rate(spike.recent)} in the last day, {rate(spike.usual)} before",
            fields={
                "kind": spike.kind,
                "recent": {"hits": spike.recent.hits, "tries": spike.recent.trials},
                "usual": {"hits": spike.usual.hits, "tries": spike.usual.trials},
            },
        )
        for spike in spikes
    ]


def tell(alerts: Iterable[Alert], memory: AlertMemory, send: Send) -> list[Alert]:
    """Tell what was not told yet.

    Args:
        alerts: what there is to tell.
        memory: of who is told.
        send: tells.

    Returns:
        What was told now.

    Raises:
        OSError: telling failed; what was not told is told next time.
        LedgerUnavailable: the memory failed.
    """
    told = []
    for alert in alerts:
        with memory.telling(alert.period, alert.name) as due:
            if due:
                send(alert)
        if due:
            told.append(alert)
    return told


def webhook_channel(url: str) -> str:
    """The name of a webhook's memory; the URL may hold a secret."""
    return f"webhook {hashlib.sha256(url.encode()).hexdigest()[:16]}"


def post_to(url: str) -> Send:
    """Tells a webhook: an HTTP POST of the alert's JSON object, with its words as `text` too, which chats show.

    A webhook is where the operator said, nowhere else: a redirect is refused.
    """

    def post(alert: Alert) -> None:
        try:
            answer = httpx.post(url, json={"text": alert.words, **alert.document()}, timeout=TIMEOUT_S)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise OSError(f"{type(error).__name__}: {error}") from error
        if not answer.is_success:
            raise OSError(f"it answered {answer.status_code}")

    return post
