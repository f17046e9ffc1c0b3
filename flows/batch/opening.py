"""Open a batch: read its tickets and enter them in the ledger, or find them there again."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from flows.batch.readiness import may_run
from flows.batch.request import LATEST, BatchRequest
from refute.batch.entry import Entry, gone, read_entries
from refute.batch.selection import Selection, select
from refute.errors import TicketNotFound, UsageError
from refute.ledger.batches import Batch, Batches


def new_batch_id(now: datetime | None = None) -> str:
    """A name that sorts by time and is nobody else's: `batch-20261122-0130-3f9c`."""
    return f"batch-{now or datetime.now(UTC):%Y%m%d-%H%M}-{uuid.uuid4().hex[:4]}"


Check = Callable[[list[Entry]], None]
"""Is given the tickets that may come to run now; raises where none of them can."""


def open_batch(batches: Batches, request: BatchRequest, *, check: Check) -> tuple[Batch, dict[str, Entry]]:
    """The batch that is asked for, with its tickets as they are now.

    Args:
        batches: the ledger's side.
        request: what is asked for.
        check: called before anything is entered in the ledger; what it raises is raised.

    Returns:
        The batch, and ticket id → entry in order. A ticket of a resumed batch that is not there any more is an entry
        with that fault.

    Raises:
        TicketNotFound: there is no ticket, or none that was asked for.
        UsageError: the source cannot be read, or there is no such batch.
    """
    if request.resume is not None:
        return _resumed(batches, request, request.resume, check)
    if request.source is None:
        raise UsageError("batch: got neither tickets nor a batch to resume", hint="Name a directory or a .jsonl file.")
    entries = _selected(batches, request, request.source)
    check(list(entries) if request.approval != "pending" else [])
    batch = Batch(
        id=request.batch_id or new_batch_id(), source=str(request.source.resolve()), created_at=datetime.now(UTC)
    )
    batches.create(batch, [(entry.ticket_id, entry.source) for entry in entries])
    return batch, {entry.ticket_id: entry for entry in entries}


def _selected(batches: Batches, request: BatchRequest, source: Path) -> tuple[Entry, ...]:
    everything = read_entries(source.resolve())
    wanted = Selection(labels=request.labels, only_failed=request.only_failed, since=request.since, limit=request.limit)
    last = batches.last_outcomes(entry.ticket_id for entry in everything) if request.only_failed else {}
    entries = select(everything, wanted, last=last)
    if not entries:
        raise TicketNotFound(
            f"{source}: none of its {len(everything)} tickets is asked for",
            hint="Loosen --label, --only-failed or --since.",
        )
    return entries


def _resumed(batches: Batches, request: BatchRequest, batch_id: str, check: Check) -> tuple[Batch, dict[str, Entry]]:
    batch = batches.latest_unfinished() if batch_id == LATEST else batches.find(batch_id)
    rows = batches.tickets(batch.id)
    there: dict[str, Entry] = {}
    if not all(row.finished for row in rows):
        there = {entry.ticket_id: entry for entry in read_entries(Path(batch.source))}
    entries = {row.ticket_id: there.get(row.ticket_id) or gone(row.ticket_id, row.source) for row in rows}
    check(may_run(rows, entries, request))
    return batch, entries
