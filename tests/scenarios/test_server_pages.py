"""What a person who opens the printed address finds."""

import json

import pytest

from flows.orchestrator.server import server_lease
from reports.artifacts import artifact_key
from tests.fakes.prefect_api import asked

pytestmark = [pytest.mark.engine, pytest.mark.prefect]


def test_the_pages_ask_the_api_that_the_keeper_started(settings):
    with server_lease(settings, say=print) as api_url:
        shown = asked(api_url.removesuffix("/api"), "GET", "/ui-settings")
    assert shown["api_url"] == api_url


def test_a_run_shows_its_status_and_leaves_a_table_and_a_story(ticket, verify, settings):
    outcome = verify(ticket(files={"slug.py": "def slugify(text: str) -> str:\n    return text\n"}))
    with server_lease(settings, say=print) as api_url:
        run = asked(api_url, "GET", f"/flow_runs/{outcome.run_id}")
        wanted = {"artifacts": {"flow_run_id": {"any_": [outcome.run_id]}}}
        found = asked(api_url, "POST", "/artifacts/filter", wanted)
    artifacts, ids = ({one["key"]: one[name] for one in found} for name in ("data", "id"))
    assert (run["state"]["type"], run["state"]["name"]) == ("FAILED", "FAILED_ADVERSARIAL")
    assert run["state"]["message"] == outcome.reason
    key = artifact_key(outcome.ticket_id)
    assert json.loads(artifacts[f"{key}-claims"])[0]["verdict"] == "REFUTED"
    assert outcome.failures[0].test_name in artifacts[f"{key}-story"].replace("\\_", "_")
    assert artifacts[f"{key}-report"].endswith(f"](/artifacts/artifact/{ids[f'{key}-story']})")
