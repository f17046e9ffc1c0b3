"""What Prefect's artifacts take: keys, rows, links, and the outcome's record, which is read back for reconciling."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from refute.errors import LedgerUnavailable
from refute.guardrails.plain_text import printable
from refute.outcome import Outcome
from refute.outcome_document import read_document, write_document
from reports.evidence import claim_evidence
from reports.wording import CLAIM_WORDS

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
MAX_CELL_CHARS: Final = 400
RUNS: Final = "/runs/"
"""What the path of a run's page has, and nothing before it but where the pages are served."""
Row = dict[str, str | int | float | bool | None]
"""Of a table artifact, which takes nothing but plain JSON values."""


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


def claims_rows(outcome: Outcome) -> list[Row]:
    """One row per claim; where none was judged, one row with the ticket's status and its reason."""
    if not outcome.claims:
        return [{"claim": "-", "verdict": outcome.status.value, "text": "-", "evidence": _cell(outcome.reason)}]
    return [
        {
            "claim": _cell(claim.claim_id),
            "verdict": CLAIM_WORDS[claim.verdict],
            "text": _cell(claim.text),
            "evidence": _cell(claim_evidence(claim)),
            "decided by": _cell(claim.decided_by),
            "tests": claim.tests_run,
            "independent": claim.independent_tests,
            "attested": claim.attested_tests,
        }
        for claim in outcome.claims
    ]


def _cell(text: str) -> str:
    return printable(text, max_chars=MAX_CELL_CHARS, keep_newlines=False)


def path_of(url: str) -> str:
    """The path of a page of the UI, which each reader reaches by an address of their own; empty where it is none."""
    parts = urlsplit(url) if url.startswith(("http://", "https://")) else None
    return parts.path if parts is not None and RUNS in parts.path else ""


def artifact_path(run_url: str, artifact_id: str) -> str:
    """The page of an artifact.

    Args:
        run_url: of any run of the same server.
        artifact_id: the server's.
    """
    return f"{path_of(run_url).partition(RUNS)[0]}/artifacts/artifact/{artifact_id}"


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
