"""Budget alerts without a server: which are due, each once a month, and a webhook that is told of them."""

import contextlib
import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from reports.budget import BudgetState
from reports.document import state_fields

FORECAST: Final = "forecast"
TIMEOUT_S: Final = 10.0
Post = Callable[[str, dict[str, Any]], None]
"""Sends a JSON object to a URL; raises OSError where that fails."""


def alerts_of(state: BudgetState) -> list[str]:
    """What is to be told of: `50`, `80`, `100` for thresholds, and `forecast`."""
    return [str(percent) for percent in state.reached_percent] + ([FORECAST] if state.forecast_exceeds else [])


def tell(state: BudgetState, url: str, memory: Path, *, post: Post | None = None) -> list[str]:
    """Tell a webhook of what it was not told yet this month.

    Args:
        state: the budget now.
        url: where a JSON object goes: the fields of `--budget --json`, `event` and `alert`.
        memory: a file that keeps what was told.
        post: sends it; by default an HTTP POST.

    Returns:
        The alerts that were told.

    Raises:
        OSError: the webhook or the file failed; what was not told is told next time.
    """
    memory.parent.mkdir(parents=True, exist_ok=True)
    told = []
    with FileLock(f"{memory}.lock", timeout=60):
        before = _remembered(memory, state.month)
        for alert in alerts_of(state):
            if alert not in before:
                (post or _post)(url, _event(state, alert))
                told.append(alert)
                _remember(memory, state.month, [*before, *told])
    return told


def _event(state: BudgetState, alert: str) -> dict[str, Any]:
    exceeded = "refute.budget.exceeded" if alert == "100" else "refute.budget.threshold"
    return {"event": exceeded, "alert": alert, **state_fields(state)}


def _remembered(memory: Path, month: str) -> list[str]:
    """What was told this month; a file that cannot be read counts as nothing told: better twice than never."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        kept = json.loads(memory.read_text("utf-8"))
        if kept.get("month") == month:
            return [str(alert) for alert in kept.get("told", [])]
    return []


def _remember(memory: Path, month: str, told: list[str]) -> None:
    partial = memory.with_name(f".{memory.name}.{os.getpid()}")
    partial.write_text(json.dumps({"month": month, "told": told}), encoding="utf-8")
    partial.replace(memory)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A webhook is where the operator said, nowhere else."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """Refuse: the redirect's own status is then an error."""


def _post(url: str, event: dict[str, Any]) -> None:
    if not url.startswith(("https://", "http://")):
        raise OSError(f"got {url.partition(':')[0]!r} as the webhook's scheme, expected https or http")
    headers = {"Content-Type": "application/json", "User-Agent": "refute"}
    request = urllib.request.Request(url, json.dumps(event).encode(), headers, method="POST")  # noqa: S310  # see above
    with urllib.request.build_opener(_NoRedirects).open(request, timeout=TIMEOUT_S):
        pass
