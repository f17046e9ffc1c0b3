"""The structured log: one JSON object per line for everything that happens to a ticket, with its run's and its own id.

For grep, jq and log shippers. It is a view: no verdict depends on it, and what cannot be written is left out. Nothing
cuts the file; tools that rotate logs may move it at any time, as it is opened for each line.
"""

import contextlib
import json
import os
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from refute.guardrails.plain_text import printable
from refute.guardrails.secret_mask import mask_secrets
from refute.outcome import Outcome, StageRecord
from refute.settings import Settings

FILE_NAME: Final = "refute.jsonl"
MAX_TEXT_CHARS: Final = 1_000


class Journal:
    """Writes the lines of one ticket's run; a `StageObserver`.

    Args:
        path: the file.
        run_id: of the run.
        ticket_id: of the ticket.
    """

    def __init__(self, path: Path, *, run_id: str, ticket_id: str) -> None:
        self._path = path
        self._ids = {"run_id": run_id, "ticket_id": ticket_id}

    @classmethod
    def of(cls, settings: Settings, *, run_id: str, ticket_id: str) -> "Journal":
        """The journal in the state directory."""
        return cls(settings.state_dir / FILE_NAME, run_id=run_id, ticket_id=ticket_id)

    def began(self, stage: str) -> None:
        """A stage begins."""
        self._write("stage_began", stage=stage)

    def ended(self, record: StageRecord) -> None:
        """A stage returned."""
        self._write(
            "stage_ended",
            stage=record.name,
            summary=record.summary,
            duration_s=record.duration_s,
            sandbox_s=record.sandbox_s,
            kept_age_s=record.kept.age_s if record.kept else None,
            cost_usd=_usd(record.cost_usd),
        )

    def warned(self, message: str) -> None:
        """Something beside the verdict went wrong."""
        self._write("warning", level="WARNING", message=message)

    def closed(self, outcome: Outcome) -> None:
        """The outcome is recorded."""
        self._write(
            "outcome",
            status=outcome.status.value,
            reason=outcome.reason,
            duration_s=outcome.duration_s,
            stages_s={stage.name: stage.duration_s for stage in outcome.stages},
            cost_usd=_usd(outcome.cost_usd),
            attempt=outcome.attempt,
            flow_run_url=outcome.flow_run_url,
        )

    def _write(self, event: str, *, level: str = "INFO", **fields: Any) -> None:
        shown = {name: _plain(value) if isinstance(value, str) else value for name, value in fields.items()}
        line = {"at": datetime.now(UTC).isoformat(), "level": level, "event": event, **self._ids, **shown}
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(self._path, flags, 0o600)
            try:
                os.write(descriptor, (json.dumps(line) + "\n").encode())  # one call: lines of processes never mix
            finally:
                os.close(descriptor)


def _usd(cost: Decimal | None) -> str | None:
    """Exact, as text; None where no price is known."""
    return None if cost is None else f"{cost:f}"


def _plain(text: str) -> str:
    return printable(mask_secrets(text[: 4 * MAX_TEXT_CHARS]), max_chars=MAX_TEXT_CHARS, keep_newlines=False)
