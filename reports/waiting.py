"""What tickets waited for, as every format says it: their turn, and people."""

from reports.aggregate import Totals
from reports.phrases import NOTHING, seconds
from reports.wording import counted


def queue_time(totals: Totals) -> str:
    """How long tickets of batches waited for their turn."""
    if not totals.queued:
        return NOTHING
    return f"{seconds(totals.queue_p50_s)} / {seconds(totals.queue_p95_s)} of {counted(totals.queued, 'run')}"


def answer_time(totals: Totals) -> str:
    """How long tickets waited for a person."""
    asked = sum(totals.answers.values())
    if not asked:
        return NOTHING
    return f"{seconds(totals.answer_p50_s)} / {seconds(totals.answer_p95_s)} of {counted(asked, 'run')}"


def answers(totals: Totals) -> str:
    """What people answered, and how often somebody let a dangerous script run."""
    parts = [f"{count} {answer}" for answer, count in totals.answers.items() if count]
    if totals.overrides:
        parts.append(f"{counted(totals.overrides, 'dangerous script')} let through")
    return ", ".join(parts) or NOTHING
