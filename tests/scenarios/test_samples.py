"""Every bundled sample ticket gets the verdict that its `expected.yaml` names."""

import contextlib
import csv
from pathlib import Path

import pytest
import yaml

from flows.orchestrator.server import server_lease
from refute.ledger.store import Ledger
from refute.outcome import Status
from refute.settings import Settings
from refute.settings_fields import TesterName
from reports.artifacts import artifact_key
from reports.frames import frames_from_ledger
from reports.scope import Scope
from tests.fakes.gemini.examples import RECORDINGS, RIGHT, ROOT, WRONG
from tests.fakes.prefect_api import asked

pytestmark = pytest.mark.engine
REPETITIONS = Settings.model_fields["repetitions"].default
"""Here as for everybody; the other scenarios repeat once."""
LEFT = ("claims", "story", "record", "report")
EXPECTED = {
    path.parent: yaml.safe_load(path.read_text())
    for path in sorted((Path(__file__).parents[2] / "examples" / "tickets").glob("*/expected.yaml"))
}
FIRST_OF_ITS_STATUS = {expected["status"]: sample for sample, expected in reversed(EXPECTED.items())}


def samples():
    """All; through the whole flow the first of each status."""
    for sample, expected in EXPECTED.items():
        first = sample == FIRST_OF_ITS_STATUS[expected["status"]]
        yield pytest.param(sample, marks=[pytest.mark.prefect] if first else [], id=sample.name)


@pytest.mark.parametrize("sample", [*samples()])
def test_s100_a_sample_gets_its_verdict_and_leaves_ledger_row_csv_line_and_artifacts(sample, verify, settings):
    expected = EXPECTED[sample]
    outcome = verify(sample, **{"repetitions": REPETITIONS, **expected.get("settings", {})})
    assert outcome.status == expected["status"], outcome.reason
    assert [claim.claim_id for claim in outcome.claims if claim.verdict == "refuted"] == expected["refuted"]
    with contextlib.closing(Ledger.open(settings)) as ledger:
        (row,) = frames_from_ledger(ledger, Scope(run_ids=(outcome.run_id,))).outcomes.to_dict("records")
    assert (row["ticket_id"], row["status"]) == (outcome.ticket_id, outcome.status)
    (line,) = csv.DictReader(settings.costs_csv.read_text().splitlines())
    assert (line["run_id"], line["ticket_id"], line["status"]) == (outcome.run_id, outcome.ticket_id, outcome.status)
    if sample in FIRST_OF_ITS_STATUS.values():
        assert {f"{artifact_key(outcome.ticket_id)}-{name}" for name in LEFT} <= artifacts_of(settings, outcome.run_id)


def artifacts_of(settings, run_id):
    wanted = {"artifacts": {"flow_run_id": {"any_": [run_id]}}}
    with server_lease(settings, say=print) as api_url:
        return {one["key"] for one in asked(api_url, "POST", "/artifacts/filter", wanted)}


def test_there_are_samples_of_every_kind():
    assert len(EXPECTED) >= 8
    assert {
        "PASS",
        "PASS_WEAK",
        "FAILED_ADVERSARIAL",
        "FAILED_IMPORT",
        "FAILED_TIMEOUT",
        "BLOCKED_DANGEROUS_SCRIPT",
    } <= FIRST_OF_ITS_STATUS.keys()


STALE = "a prompt, the ticket or its code has changed? python -m tests.fakes.gemini.examples records anew"


@pytest.mark.parametrize(
    ("name", "status", "refuted"), [(RIGHT, Status.PASS_WEAK, []), (WRONG, Status.FAILED_ADVERSARIAL, ["C1", "C2"])]
)
def test_the_bundled_recordings_give_right_and_wrong_code_their_verdicts(verify, name, status, refuted):
    told = verify(ROOT / "examples" / "tickets" / name, tester=TesterName.REPLAY, replay_dir=RECORDINGS, mutants=0)
    assert told.status is status, f"{told.reason}; {STALE}"
    verdicts = {claim.claim_id: claim.verdict for claim in told.claims}
    assert [claim_id for claim_id, verdict in verdicts.items() if verdict == "refuted"] == refuted
    assert set(verdicts.values()) <= {"refuted", "survived"}
    assert sum(use.calls for use in told.models) == told.cost_usd == 0
    assert told.provenance.local_servers == ("http://127.0.0.1:8787",)  # a person's answers, not Gemini's
