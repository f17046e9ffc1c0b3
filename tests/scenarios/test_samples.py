"""Every bundled sample ticket gets the verdict that its `expected.yaml` names."""

from pathlib import Path

import pytest
import yaml

pytestmark = [pytest.mark.engine, pytest.mark.prefect]
SAMPLES = sorted(path.parent for path in (Path(__file__).parents[2] / "examples" / "tickets").glob("*/ticket.yaml"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_sample_gets_its_verdict(sample, verify):
    expected = yaml.safe_load((sample / "expected.yaml").read_text())
    outcome = verify(sample, **expected.get("settings", {}))
    assert outcome.status == expected["status"], outcome.reason
    assert [claim.claim_id for claim in outcome.claims if claim.verdict == "refuted"] == expected["refuted"]


def test_there_are_samples_of_every_kind():
    statuses = {yaml.safe_load((sample / "expected.yaml").read_text())["status"] for sample in SAMPLES}
    assert len(SAMPLES) >= 8
    assert {
        "PASS",
        "PASS_WEAK",
        "FAILED_ADVERSARIAL",
        "FAILED_IMPORT",
        "FAILED_TIMEOUT",
        "BLOCKED_DANGEROUS_SCRIPT",
    } <= statuses
