"""Stage 12: record the outcome once: ledger, CSV, evidence files, audit log, Prefect artifacts."""

import hashlib
import json
import re

from prefect.artifacts import Artifact, create_markdown_artifact, create_table_artifact

from refute.case import CaseFile
from refute.outcome import Outcome
from refute.ports import Ports
from refute.recording import record, reproducer_paths
from refute.settings import Settings
from reports.artifacts import RECORD_TYPE, record_document
from reports.outcome_markdown import render_markdown
from reports.outcome_rows import claims_rows
from tasks.stage import stage


@stage("outcome")
def record_outcome(ports: Ports, case: CaseFile) -> Outcome:
    """Close the case, make it durable, and show it in the Prefect UI."""
    outcome = record(ports, case)
    show_outcome(ports.settings, outcome)
    return outcome


def show_outcome(settings: Settings, outcome: Outcome) -> None:
    """Leave the outcome's artifacts with the run that is going on."""
    key = artifact_key(outcome.ticket_id)
    paths = reproducer_paths(settings, outcome)
    description = f"{outcome.ticket_id}: {outcome.status}"
    create_table_artifact(key=f"{key}-claims", table=claims_rows(outcome), description=description)
    story = render_markdown(outcome, reproducers=paths)
    create_markdown_artifact(key=f"{key}-story", markdown=story, description=description)
    fields = json.loads(record_document(outcome))  # Prefect writes data as JSON itself
    Artifact(type=RECORD_TYPE, key=f"{key}-record", data=fields, description=description).create()


def artifact_key(ticket_id: str) -> str:
    """An artifact key of a ticket, of `[a-z0-9-]` as Prefect asks; ids that differ never share a key."""
    plain = re.sub("[^a-z0-9]", "-", ticket_id.lower())
    if plain != ticket_id:
        plain += "-" + hashlib.sha256(ticket_id.encode()).hexdigest()[:6]
    return f"ticket-{plain}"
