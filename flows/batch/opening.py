"""Open a batch: read its tickets and enter them in the ledger, or find them there again."""

import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from flows.batch.progress import Progress
from flows.batch.readiness import may_run
from flows.batch.request import LATEST, BatchRequest, ChunkRequest
from flows.batch.run import BatchRun
from flows.batch.watcher import BatchWatcher
from flows.containers import Containers, cores
from refute.batch.allowance import load_allowances
from refute.batch.entry import Entry, gone, read_entries
from refute.batch.selection import Selection, select
from refute.errors import TicketNotFound, UsageError
from refute.ledger.batches import Batch, Batches, BatchTicket
from refute.ledger.store import Ledger
from refute.settings import Settings


def new_batch_id(now: datetime | None = None) -> str:
    """A name that sorts by time and is nobody else's: `20261122-0130-3f9c`."""
    return f"{now or datetime.now(UTC):%Y%m%d-%H%M}-{uuid.uuid4().hex[:4]}"


def opened_again(request: ChunkRequest, settings: Settings, ledger: Ledger, *, watcher: BatchWatcher) -> BatchRun:
    """A chunk's part in a batch that another process opened.

    Raises:
        UsageError: there is no such batch, or its tickets cannot be read here.
    """
    batches = Batches(ledger)
    wanted = set(request.tickets)
    rows = [row for row in batches.tickets(request.batch_id) if row.ticket_id in wanted]
    entries = _entries(batches.find(request.batch_id), rows)
    return batch_run(request, settings, ledger, entries, watcher=watcher, batch_id=request.batch_id)


def batch_run(  # what a batch is made of
    request: BatchRequest | ChunkRequest,
    settings: Settings,
    ledger: Ledger,
    entries: dict[str, Entry],
    *,
    watcher: BatchWatcher,
    batch_id: str,
) -> BatchRun:
    """One process's part in an open batch, with what is recorded already counted."""
    progress = Progress(Batches(ledger), batch_id, entries.keys(), watcher=watcher)
    progress.begin()
    watcher.opened(batch_id, progress.tally)
    return BatchRun(
        batch_id=batch_id,
        entries=entries,
        settings=settings,
        ledger=ledger,
        containers=Containers(settings.batch_containers or cores()),
        progress=progress,
        allowances=load_allowances(request.allow_dangerous) if request.allow_dangerous else {},
        watcher=watcher,
    )


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
    entries = _entries(batch, rows)
    check(may_run(rows, entries, request))
    return batch, entries


def _entries(batch: Batch, rows: Sequence[BatchTicket]) -> dict[str, Entry]:
    """Ticket id → the ticket as it is now; one that is not there any more is an entry with that fault."""
    there: dict[str, Entry] = {}
    if not all(row.finished for row in rows):
        there = {entry.ticket_id: entry for entry in read_entries(Path(batch.source))}
    return {row.ticket_id: there.get(row.ticket_id) or gone(row.ticket_id, row.source) for row in rows}
