"""The last stage: the outcome once in ledger, CSV, evidence files and audit log; then shown by Prefect's artifacts."""

import json
from collections.abc import Callable
from typing import Final

import httpx
from prefect.artifacts import Artifact, create_link_artifact, create_markdown_artifact, create_table_artifact
from prefect.exceptions import PrefectException

from refute.case import CaseFile
from refute.outcome import Outcome
from refute.ports import Ports
from refute.recording import record, reproducer_paths
from refute.settings import Settings
from reports.artifacts import PAGE_NAME, RECORD_TYPE, artifact_key, artifact_path, claims_rows, record_document
from reports.outcome_formats import render_markdown

NO_ANSWER: Final = (httpx.HTTPError, AssertionError)
"""What Prefect's client raises where its server is gone; the assertion where its tries were taken away (`given_up`)
while a request waited for its next one.
"""
CLIENT_ERRORS: Final = (*NO_ANSWER, PrefectException, RuntimeError, OSError, ValueError)
"""What Prefect's client raises where its server is gone, is busy, or refuses what it was given."""


def record_and_show(ports: Ports, case: CaseFile, answers: Callable[[], bool]) -> Outcome:
    """Close the case, make it durable, and leave its artifacts, which are a view of what the ledger holds.

    Args:
        ports: the effects of the run.
        case: what its stages returned.
        answers: whether Prefect's server still does: one that is gone would be tried for a minute.

    Raises:
        LedgerUnavailable: it could not be recorded.
    """
    outcome = record(ports, case)
    show_if_answered(ports.settings, outcome, answers, ports.observer.warned)
    return outcome


def show_if_answered(
    settings: Settings, outcome: Outcome, answers: Callable[[], bool], warn: Callable[[str], None]
) -> None:
    """Leave a recorded outcome's artifacts as far as Prefect takes them; what is in the way is a warning."""
    if not answers():
        warn("no artifact in Prefect (its server does not answer)")
        return
    try:
        show_outcome(settings, outcome)
    except CLIENT_ERRORS as error:  # the outcome is recorded
        warn(f"no artifact in Prefect ({type(error).__name__})")


def show_outcome(settings: Settings, outcome: Outcome) -> None:
    """Leave the outcome's artifacts with the run that is going on."""
    key = artifact_key(outcome.ticket_id)
    paths = reproducer_paths(settings, outcome)
    description = f"{outcome.ticket_id}: {outcome.status}"
    create_table_artifact(key=f"{key}-claims", table=claims_rows(outcome), description=description)
    story = render_markdown(outcome, reproducers=paths)
    story_id = create_markdown_artifact(key=f"{key}-story", markdown=story, description=description)
    _link_to_report(settings, outcome, key, str(story_id))
    fields = json.loads(record_document(outcome))  # Prefect writes data as JSON itself
    Artifact(type=RECORD_TYPE, key=f"{key}-record", data=fields, description=description).create()


def _link_to_report(settings: Settings, outcome: Outcome, key: str, story_id: str) -> None:
    """To the ticket's section of the report's page where one is served, else to this run's own story.

    The page of the story's key would show only a list of runs; the story's own page leads there. Never to a file: a
    browser follows no link from the UI to one, and it would be on the worker's machine.
    """
    if settings.reports_url:
        link, text = f"{settings.reports_url.rstrip('/')}/{PAGE_NAME}#{key}", "the report, made every hour"
    else:
        link, text = artifact_path(outcome.flow_run_url, story_id), "why: claims, counterexamples, what ran"
    create_link_artifact(
        key=f"{key}-report", link=link, link_text=text, description=f"{outcome.ticket_id}: {outcome.status}"
    )
