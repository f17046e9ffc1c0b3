"""The outcome's record in a Prefect artifact: written beside the tables for people, read back for reconciling."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from refute.errors import LedgerUnavailable
from refute.outcome import Outcome
from refute.outcome_document import read_document, write_document

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient

RECORD_TYPE: Final = "refute-outcome"
"""Type of the artifacts that carry a record; Prefect's UI shows types that it does not know as they are."""
MAX_RECORD_CHARS: Final = 1_000_000
"""Prefect drops events over 1.5 MB."""
PAGE_NAME: Final = "report.html"
"""The report's page, in the directory `reports` of the state directory."""
READ_AT_ONCE: Final = 200
"""Prefect's own limit of a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecords:
    """What the artifacts hold."""

    outcomes: tuple[Outcome, ...]
    """Each once, the newest artifact of it."""
    unreadable: tuple[str, ...]
    """Keys of artifacts that hold no record of this version."""


def artifact_key(ticket_id: str) -> str:
    """An artifact key of a ticket, of `[a-z0-9-]` as Prefect asks; ids that differ never share a key."""
    plain = re.sub("[^a-z0-9]", "-", ticket_id.lower())
    if plain != ticket_id:
        plain += "-" + hashlib.sha256(ticket_id.encode()).hexdigest()[:6]
    return f"ticket-{plain}"


def record_document(outcome: Outcome) -> str:
    """The outcome as JSON; where it is too long for an artifact, without what the jobs printed and the attack's text.

    The frames of reports are the same with and without.
    """
    document = write_document(outcome, indent=None)
    if len(document) <= MAX_RECORD_CHARS:
        return document
    left_out = f"[left out: the record had {len(document)} characters; the ledger holds all of it]"
    shorter = replace(
        outcome,
        verification_output=left_out,
        verification_stderr=left_out,
        adversarial_tests=left_out,
        adversarial_output=left_out,
    )
    return write_document(shorter, indent=None)


def stored_records(api_url: str) -> StoredRecords:
    """All records of a Prefect server.

    Args:
        api_url: of the server, e.g. `http://127.0.0.1:4200/api`.

    Raises:
        httpx.HTTPError: the server does not do its part.
    """
    from prefect.client.orchestration import get_client
    from prefect.settings import PREFECT_API_URL, temporary_settings

    outcomes: dict[tuple[str, str, int], Outcome] = {}
    unreadable = []
    with temporary_settings({PREFECT_API_URL: api_url}), get_client(sync_client=True) as client:
        for key, data in _pages(client):
            try:
                outcome = read_document(data)
            except LedgerUnavailable:
                unreadable.append(key)
                continue
            outcomes.setdefault((outcome.run_id, outcome.ticket_id, outcome.attempt), outcome)
    return StoredRecords(outcomes=tuple(outcomes.values()), unreadable=tuple(unreadable))


def _pages(client: "SyncPrefectClient") -> Iterator[tuple[str, str]]:
    """Key and data of every record, the newest first; one that is written meanwhile shifts pages, so ids count once."""
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterType
    from prefect.client.schemas.sorting import ArtifactSort

    chosen = ArtifactFilter(type=ArtifactFilterType(any_=[RECORD_TYPE]))
    seen = set()
    offset = 0
    while True:
        page = client.read_artifacts(
            artifact_filter=chosen, sort=ArtifactSort.CREATED_DESC, limit=READ_AT_ONCE, offset=offset
        )
        for artifact in page:
            if artifact.id not in seen:
                seen.add(artifact.id)
                yield str(artifact.key), str(artifact.data)
        if len(page) < READ_AT_ONCE:
            return
        offset += len(page)
