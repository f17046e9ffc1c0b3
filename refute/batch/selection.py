"""Which tickets of a source a batch takes."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

from refute.batch.entry import Entry
from refute.outcome import Status

CONTENT: Final = frozenset({Status.PASS, Status.PASS_WEAK, Status.SKIPPED, Status.DRY_RUN})
"""Statuses after which nobody needs to run the ticket again."""
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LastOutcome:
    """How a ticket ended when it was last verified."""

    status: Status
    started_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is asked of a ticket to be taken; all of it must hold."""

    labels: tuple[str, ...] = ()
    """It has one of these labels."""
    only_failed: bool = False
    """It was verified before, and the last outcome was not PASS, PASS_WEAK, SKIPPED or DRY_RUN."""
    since: datetime | None = None
    """With `only_failed`: that outcome is not older. Else: one of its files was changed since then."""
    limit: int | None = None
    """At most so many tickets, the first ones."""


def select(
    entries: Iterable[Entry], wanted: Selection, *, last: Mapping[str, LastOutcome] | None = None
) -> tuple[Entry, ...]:
    """The entries to run, in order.

    A ticket file with faults is one too: its last outcome is that of the id that it goes by. Where its labels cannot be
    read it is taken whatever labels are wanted, for nobody would hear of it otherwise.

    Args:
        entries: all there are.
        wanted: what is asked.
        last: ticket id → last outcome, for `only_failed`.
    """
    fitting = (entry for entry in entries if _fits(entry, wanted, last or {}))
    return tuple(islice(fitting, wanted.limit))


def _fits(entry: Entry, wanted: Selection, last: Mapping[str, LastOutcome]) -> bool:
    if wanted.labels and entry.labels is not None and not set(wanted.labels) & set(entry.labels):
        return False
    if wanted.only_failed:
        before = last.get(entry.ticket_id)
        return (
            before is not None
            and before.status not in CONTENT
            and (wanted.since is None or before.started_at >= wanted.since)
        )
    return wanted.since is None or changed_at(entry) >= wanted.since


def changed_at(entry: Entry) -> datetime:
    """When the newest of a ticket's own files was changed; a missing one counts as changed now.

    Looks at the ticket file, the verification script and the implementation files, not at everything in the workspace.
    """
    source, ticket = Path(re.sub(r":\d+$", "", entry.source)), entry.ticket
    named = (ticket.verification_script, *ticket.implementation_files) if ticket else ()
    files = [source, *(ticket.workspace / name for name in named if ticket)]
    try:
        newest = max(path.stat().st_mtime for path in files)
    except OSError:
        return datetime.now(UTC)
    return datetime.fromtimestamp(newest, UTC)


def moment(text: str, *, now: datetime | None = None) -> datetime:
    """A moment from `2026-11-20`, `2026-11-20T06:00+01:00` (without a zone: UTC) or, ago, `90m`, `12h`, `7d`, `2w`.

    Raises:
        ValueError, OverflowError: anything else, and what lies beyond all calendars.
    """
    if ago := re.fullmatch(r"(\d{1,6})([mhdw])", text.strip()):
        return (now or datetime.now(UTC)) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    found = datetime.fromisoformat(text.strip())
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
