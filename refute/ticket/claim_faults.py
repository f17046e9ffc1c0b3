"""What is wrong with claims beside their shape: ids that occur twice, fields that this ticket cannot have."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from refute.ticket.document import Fault
from refute.ticket.fields import shown

_OF_CODE: Final = ("property", "raises", "same_as", "unchanged")
_ENDS: Final = ("exit", "stdout", "stderr")
_OF_RUNS: Final = ("run", "stdin", *_ENDS, "files")


def repeated_claim_ids(value: Any) -> Iterator[Fault]:
    """Claim ids that occur twice, whatever else is wrong with the document."""
    claims = value.get("claims") if isinstance(value, dict) else None
    first: dict[str, int] = {}
    for index, claim in enumerate(claims if isinstance(claims, list) else ()):
        claim_id = claim.get("id") if isinstance(claim, dict) else None
        if not isinstance(claim_id, str):
            continue
        if claim_id in first:
            message = f"got {shown(claim_id)}, which claims[{first[claim_id]}] has already, expected an id of its own"
            yield Fault(path=("claims", index, "id"), message=message)
        first.setdefault(claim_id, index)


def unsupported_fields(value: Any) -> Iterator[Fault]:
    """Executable fields of claims that this ticket cannot have, and those that are nothing without another."""
    if not isinstance(value, dict):
        return
    claims = value.get("claims")
    for index, claim in enumerate(claims if isinstance(claims, list) else ()):
        if isinstance(claim, dict):
            for name, expected in _unsupported(claim, value):
                yield Fault(path=("claims", index, name), message=f"got {shown(claim[name])}, expected {expected}")


def _unsupported(claim: Mapping[str, Any], ticket: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Fields of one claim, each with what was expected instead."""
    given = [name for name in claim if claim[name] not in (None, "", [], {})]
    cli = ticket.get("kind") == "cli"
    if cli and "run" in given and not _says_an_end(claim):
        yield "run", "it beside what it does: `exit`, `stdout`, `stderr` or `files: {after: ...}`"
    for name in given:
        if cli and name in _OF_CODE:
            yield name, "`run`, or `examples` of runs; for claims about functions set `kind: python`"
        elif not cli and name in _OF_RUNS:
            yield name, "none: only a ticket with `kind: cli` runs programs"
        elif name in _OF_RUNS and not claim.get("run"):
            yield name, "it beside `run`, the command that does it"
        elif name == "unchanged" and not (ticket.get("base") or ticket.get("previous")):
            yield name, "it beside `base` or `previous`, the version to compare with"


def _says_an_end(claim: Mapping[str, Any]) -> bool:
    files = claim.get("files")
    return any(claim.get(name) not in (None, {}) for name in _ENDS) or (
        isinstance(files, dict) and bool(files.get("after"))
    )
