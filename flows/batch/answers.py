"""Who says that a batch's scripts may run: approved in advance, asked once for the whole list, or left waiting."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Final

from flows.confirmation.question import Reply
from refute.approval import Question
from refute.batch.entry import Entry
from refute.errors import UsageError
from refute.guardrails.audit import Decision, Gate
from refute.ledger.batches import Answer, Batches
from refute.ports import Ports
from refute.stages import admission
from refute.ticket.record import Ticket

NOT_ASKED: Final = "nobody: it cannot run"
NO_FILES: Final = "none"
"""In the place of a digest: no files are approved by this."""


Ask = Callable[[tuple[Question, ...]], Reply]
"""Shows the list, each ticket without script and plan, and asks."""


def list_digest(listed: tuple[Question, ...]) -> str:
    """SHA-256 over the list, which the audit log keeps with the answer."""
    lines = sorted(f"{one.ticket.id} {one.snapshot.digest}\n" for one in listed)
    return "sha256:" + hashlib.sha256("".join(lines).encode()).hexdigest()


def approve_in_advance(batches: Batches, batch_id: str, entries: Mapping[str, Entry], *, by: str) -> None:
    """Approve whatever scans clean when its turn comes; `by`: who or what did."""
    waiting = _waiting(batches, batch_id)
    batches.answer(
        batch_id,
        Answer.APPROVED,
        by=by,
        digests=dict.fromkeys(waiting & entries.keys()),
        instead_of=Answer.WAITING,
    )


def put_to_a_person(batches: Batches, ports: Ports, entries: Mapping[str, Entry], ask: Ask | None) -> None:
    """Freeze and scan what waits, list what could run, and ask once; without an answer it goes on waiting.

    What is blocked by its scan, or no usable ticket, is not on the list: it goes on to its own outcome.

    Args:
        batches: the ledger's side.
        ports: effects of the batch; its run id is the batch's.
        entries: ticket id → ticket.
        ask: None where nobody can be asked now.
    """
    batch_id = ports.run_id
    listed: list[Question] = []
    not_asked: dict[str, str | None] = {}  # values: as `Batches.answer` takes them
    for ticket_id in sorted(_waiting(batches, batch_id), key=list(entries).index):
        entry = entries[ticket_id]
        found = _look_at(ports, entry.ticket) if entry.ticket else None
        if found is None:
            not_asked[ticket_id] = NO_FILES
        elif not found.scan.safe:
            not_asked[ticket_id] = found.snapshot.digest
        else:
            listed.append(found)
    batches.answer(batch_id, Answer.APPROVED, by=NOT_ASKED, digests=not_asked, instead_of=Answer.WAITING)
    if listed:
        _answer(batches, ports, tuple(listed), ask)


def _waiting(batches: Batches, batch_id: str) -> set[str]:
    rows = batches.tickets(batch_id)
    return {row.ticket_id for row in rows if row.answer is Answer.WAITING and not row.finished}


def _look_at(ports: Ports, ticket: Ticket) -> Question | None:
    """Freeze and scan; None where the files cannot be used, which the ticket's own run will tell."""
    try:
        snapshot = admission.take_snapshot(ports, ticket)
        scan = admission.scan_scripts(ports, ticket, snapshot)
        return Question(ticket=ticket, snapshot=snapshot, script="", scan=scan, plan=())
    except UsageError:
        return None


def _answer(batches: Batches, ports: Ports, listed: tuple[Question, ...], ask: Ask | None) -> None:
    digests = {str(one.ticket.id): one.snapshot.digest for one in listed}
    batches.answer(ports.run_id, Answer.WAITING, by="", digests=digests, instead_of=Answer.WAITING)
    reply = ask(listed) if ask is not None else Reply(approved=None)
    decision = {None: Decision.CHALLENGE, True: Decision.ALLOW, False: Decision.DENY}[reply.approved]
    ports.audit.record(
        Gate.CONFIRMATION,
        decision,
        run_id=ports.run_id,
        reason="the list waits for an answer" if reply.approved is None else f"answered by {reply.words}",
        metadata={"tickets": len(listed), "list": list_digest(listed)},
    )
    if reply.approved is not None:
        answer = Answer.APPROVED if reply.approved else Answer.DECLINED
        batches.answer(ports.run_id, answer, by=reply.words, digests=digests, instead_of=Answer.WAITING)
