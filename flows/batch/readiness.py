"""Whether this machine can run a batch's tickets, asked once before the first: else each would end ERROR by itself."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from flows.batch.request import BatchRequest
from refute.batch.entry import Entry
from refute.errors import ImageMissing, InfrastructureError
from refute.ledger.batches import Answer, BatchTicket
from refute.ports import Ports
from refute.wording import counted


def may_run(rows: Iterable[BatchTicket], entries: Mapping[str, Entry], request: BatchRequest) -> list[Entry]:
    """The tickets of a batch that may come to run now, as far as their answers are known."""
    return [
        entries[row.ticket_id]
        for row in rows
        if not row.finished and (row.answer is Answer.APPROVED or request.approval != "pending")
    ]


def require_all(entries: Iterable[Entry], ports: Ports, *, tell: Callable[[str], None]) -> None:
    """Find out before the first ticket that model, audit log or engine cannot be used, or that none has an image.

    Where only some tickets lack their image the others run: one bad ticket never stops a batch.

    Args:
        entries: tickets that may come to run.
        ports: audit log, engine and images.
        tell: is told what some tickets lack.

    Raises:
        SettingsInvalid, AuditUnavailable, EngineUnavailable, EngineDied, SandboxFailed, ImageMissing: no ticket could
            run; with what to do.
    """
    tickets = Counter(entry.ticket.python for entry in entries if entry.ticket is not None)
    if not tickets:
        return
    ports.require_model()
    missing: dict[str, ImageMissing] = {}
    with _before_the_first(), contextlib.closing(ports.sandbox):
        ports.audit.require_writable()
        ports.sandbox.facts()
        for python in tickets:
            try:
                ports.image(python)
            except ImageMissing as error:
                missing[python] = error
        if len(missing) == len(tickets):
            raise next(iter(missing.values()))
    for python, lack in missing.items():
        tell(f"{counted(tickets[python], 'ticket')} will end ERROR: {lack.message}. {lack.hint}")


@contextlib.contextmanager
def _before_the_first() -> Iterator[None]:
    """Say with a failure that nothing has happened yet."""
    try:
        yield
    except InfrastructureError as error:
        message = f"{error.message}; no ticket was begun, and none is recorded as ERROR for it"
        first = f"{error.hint.rstrip('.')}. " if error.hint else ""
        hint = f"{first}After that, give the same command again."
        raise type(error)(message, hint=hint) from error
