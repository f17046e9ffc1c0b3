"""Ticket files → tickets: YAML, JSON or JSON Lines, with everything that is wrong said at once."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from refute.errors import TicketInvalid, UsageError
from refute.ticket.claim_faults import repeated_claim_ids, unsupported_fields
from refute.ticket.consistency import author_text, workspace_faults
from refute.ticket.document import Document, DocumentError, Fault, FieldPath
from refute.ticket.modules import detect_import_roots, importability_faults
from refute.ticket.record import Claim, ClaimId, Kind, Property, Raises, Run, Text, Ticket
from refute.ticket.schema import ClaimModel, TextModel, TicketModel, validate
from refute.ticket.sources import documents

_SHOWN_IDS: Final = 5


def load_ticket(path: Path) -> Ticket:
    """Read exactly one ticket.

    Args:
        path: a directory with `ticket.yaml`, a YAML or JSON file, or a JSON Lines file with one line.

    Raises:
        TicketNotFound: nothing there.
        TicketInvalid: with every fault.
        UsageError: there are several tickets.
    """
    read = list(each_ticket(path, below=False))
    refused = [one for one in read if isinstance(one, TicketInvalid)]
    if len(refused) > 1:
        raise TicketInvalid(str(path), [f"{one.source}: {problem}" for one in refused for problem in one.problems])
    if refused:
        raise refused[0]
    tickets = [one for one in read if isinstance(one, Ticket)]
    if len(tickets) > 1:
        ids = ", ".join(ticket.id for ticket in tickets[:_SHOWN_IDS]) + (", …" if len(tickets) > _SHOWN_IDS else "")
        raise UsageError(
            f"{path}: got {len(tickets)} tickets ({ids}), expected one",
            hint="Name one of them, or verify them all with `refute batch`.",
        )
    return tickets[0]


def each_ticket(path: Path, *, below: bool = True) -> Iterator[Ticket | TicketInvalid]:
    """Read the tickets of a source one by one, in order; what is wrong with one does not hide the others.

    Ids that occur twice are not looked for.

    Args:
        path: as for `load_ticket`; also JSON Lines with a ticket in each line.
        below: a directory without a ticket stands for all ticket directories below it.

    Raises:
        TicketNotFound: nothing there.
        UsageError: the file has a suffix that says nothing about its format, or the source cannot be read.
    """
    for source, base, document in documents(path, below=below):
        try:
            yield _ticket(document, source=source, base=base)
        except TicketInvalid as error:
            yield error
        except (UsageError, OSError) as error:
            yield TicketInvalid(source, [str(error)])


def _ticket(document: Document | DocumentError, *, source: str, base: Path) -> Ticket:
    if isinstance(document, DocumentError):
        raise TicketInvalid(source, [str(document)]) from document
    model, shape_faults = validate(document.value)
    faults = [*document.faults, *shape_faults, *repeated_claim_ids(document.value)]
    faults += unsupported_fields(document.value)
    faults += workspace_faults(document.value, base=base)
    if model is None or faults:
        raise TicketInvalid(source, _in_words(faults, document), labels=_labels(document.value))
    ticket = _record(model, source=source, base=base)
    if reasons := importability_faults(ticket):
        faults_told = [f"implementation_files: {reason}" for reason in reasons]
        raise TicketInvalid(source, faults_told, labels=ticket.labels)
    return ticket


def _labels(value: Any) -> tuple[str, ...] | None:
    """Labels of a ticket that has other faults."""
    labels = value.get("labels", []) if isinstance(value, dict) else None
    return tuple(map(str, labels)) if isinstance(labels, list) else None


def _in_words(faults: Iterable[Fault], document: Document) -> list[str]:
    """In the order of the file, each with its field and line."""

    def line(path: FieldPath) -> int:
        known = (path[:length] for length in range(len(path), -1, -1))
        return next((document.lines[part] for part in known if part in document.lines), 0)

    def words(fault: Fault) -> str:
        name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault.path).lstrip(".")
        place = f" (line {line(fault.path)})" if fault.path[:1] in document.lines else ""  # of what holds it, at least
        return f"{name or 'ticket'}{place}: {fault.message}"

    distinct = {(*fault.path, fault.message): fault for fault in faults}
    return [words(fault) for fault in sorted(distinct.values(), key=lambda fault: line(fault.path))]


def _record(model: TicketModel, *, source: str, base: Path) -> Ticket:
    workspace = (base / model.workspace).resolve()
    roots = model.import_roots or detect_import_roots(
        workspace, model.implementation_files, author_text=lambda: author_text(model, workspace)
    )
    stated: dict[str, Any] = {
        name: tuple(dict.fromkeys(one)) if isinstance(one, list) else one for name, one in model if name != "claims"
    }
    stated |= {
        "title": " ".join(model.title.split()),
        "workspace": workspace,
        "claims": _claims(model.claims),
        "source": source,
        "import_roots": tuple(dict.fromkeys(roots)),
        "kind": Kind(model.kind),
    }
    return Ticket(**stated)


def _claims(models: Iterable[ClaimModel]) -> tuple[Claim, ...]:
    """Claims without an id are called by their position, C1, C2, …; where that is taken, by the next free number."""
    models = tuple(models)
    taken = {model.id for model in models if model.id}
    claims = []
    for position, model in enumerate(models, start=1):
        number = position
        while not model.id and f"C{number}" in taken:
            number = max(number, len(models)) + 1
        claim_id = model.id or f"C{number}"
        taken.add(claim_id)
        claims.append(_claim(ClaimId(claim_id), model))
    return tuple(claims)


def _claim(claim_id: ClaimId, model: ClaimModel) -> Claim:
    return Claim(
        id=claim_id,
        text=model.text,
        examples=tuple(model.examples),
        property=Property(**dict(model.property)) if model.property else None,
        raises=tuple(
            Raises(error=error, call=one.call, given=dict(one.given or {}), assume=one.assume)
            for error, calls in model.raises.items()
            for one in calls
        ),
        same_as=dict(model.same_as),
        unchanged=dict(model.unchanged),
        run=_run(model),
    )


def _run(model: ClaimModel) -> Run | None:
    if model.run is None:
        return None
    return Run(
        words=tuple(model.run),
        stdin=model.stdin,
        files=dict(model.files.before),
        exit_code=model.exit if isinstance(model.exit, int) else None,
        fails=model.exit == "nonzero",
        stdout=_text(model.stdout) if model.stdout else None,
        stderr=_text(model.stderr) if model.stderr else None,
        files_after={path: _text(one) for path, one in model.files.after.items()},
    )


def _text(model: TextModel) -> Text:
    return Text(exact=model.exact, contains=tuple(model.contains))
