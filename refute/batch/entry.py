"""The tickets of a batch, each under an id of its own; a ticket file that cannot be used is an entry too."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from refute import __version__
from refute.errors import TicketInvalid, UsageError
from refute.outcome import Outcome, Provenance, Status
from refute.ticket.parse import each_ticket
from refute.ticket.record import Ticket, TicketId

MAX_ID_CHARS: Final = 64
MAX_PROBLEMS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One ticket of a batch, or one ticket file with faults."""

    ticket_id: TicketId
    """Unique in the batch; made from the file's name where the file has no id that can be used."""
    source: str
    """The ticket file, and the line of a JSON Lines file."""
    ticket: Ticket | None
    """None where the file has faults."""
    problems: tuple[str, ...] = ()
    """The faults, one line each."""
    labels: tuple[str, ...] | None = ()
    """Of the ticket; None where the file has faults that hide them."""


def read_entries(path: Path) -> tuple[Entry, ...]:
    """Everything that a batch is made of, in order: one bad file does not keep the others from being read.

    A second ticket with the id of an earlier one is refused: the earlier one keeps the id.

    Raises:
        TicketNotFound: there is no ticket at all.
        UsageError: the source itself cannot be read.
    """
    return tuple(_with_own_ids(each_ticket(path)))


def _with_own_ids(tickets: Iterable[Ticket | TicketInvalid]) -> Iterator[Entry]:
    listed = list(tickets)
    owners: dict[str, str] = {}
    for one in listed:
        if isinstance(one, Ticket):
            owners.setdefault(one.id, one.source)
    taken = set(owners)
    for one in listed:
        if isinstance(one, Ticket) and owners[one.id] == one.source:
            yield Entry(ticket_id=one.id, source=one.source, ticket=one, labels=one.labels)
            continue
        problems: tuple[str, ...]
        if isinstance(one, Ticket):
            problems = (f"id: got {one.id!r}, which {owners[one.id]} has already, expected an id of its own",)
        else:
            problems = one.problems
        name = _free_id(_name_of(one.source), taken)
        taken.add(name)
        yield Entry(ticket_id=TicketId(name), source=one.source, ticket=None, problems=problems, labels=one.labels)


def _name_of(source: str) -> str:
    """`tickets/a b/ticket.yaml` → `invalid-a-b`; `all.jsonl:12` → `invalid-all.jsonl-12`."""
    path = Path(source)
    name = path.parent.name if path.stem == "ticket" and path.parent.name else path.name
    return "invalid-" + (re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-") or "ticket")


def _free_id(wanted: str, taken: set[str]) -> str:
    name, number = wanted[:MAX_ID_CHARS], 2
    while name in taken:
        suffix = f"-{number}"
        name, number = wanted[: MAX_ID_CHARS - len(suffix)] + suffix, number + 1
    return name


def refusal(entry: Entry, *, run_id: str, tester: str, url: str) -> Outcome:
    """The outcome of a ticket file that cannot be used: an ERROR with every fault, which says nothing about code."""
    shown = entry.problems[:MAX_PROBLEMS]
    more = [f"and {len(entry.problems) - len(shown)} more"] if len(entry.problems) > len(shown) else []
    return Outcome(
        run_id=run_id,
        ticket_id=entry.ticket_id,
        title=entry.source,
        status=Status.ERROR,
        reason="unusable ticket: " + "; ".join((*shown, *more)),
        started_at=datetime.now(UTC),
        duration_s=0.0,
        provenance=Provenance(refute_version=__version__, tester=tester),
        labels=entry.labels or (),
        flow_run_url=url,
    )


def gone(ticket_id: str, source: str) -> Entry:
    """An entry of a batch whose ticket is no longer where it was when the batch began."""
    return Entry(ticket_id=TicketId(ticket_id), source=source, ticket=None, problems=(_GONE,))


def unusable(entry: Entry, error: UsageError) -> Entry:
    """The entry of a ticket whose files turned out to be unusable."""
    problem = str(error).removeprefix(f"{entry.source}: ")
    return Entry(ticket_id=entry.ticket_id, source=entry.source, ticket=None, problems=(problem,), labels=entry.labels)


_GONE: Final = "the ticket was there when the batch began and is not, or not under this id, any more"
