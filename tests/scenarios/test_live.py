"""With the real Gemini, never in a default run: `pytest -m live`, with `gemini.yaml` and credentials. Costs cents."""

import json
import os
from pathlib import Path

import pytest

from tests.scenarios.conftest import REPOSITORY

pytestmark = [pytest.mark.live, pytest.mark.engine, pytest.mark.prefect]


def test_the_real_model_refutes_a_wrong_sample_within_its_budget(cli):
    settings = Path(os.environ.get("REFUTE_GEMINI_FILE", REPOSITORY / "gemini.yaml")).resolve()
    sample = REPOSITORY / "examples" / "tickets" / "interval-merger-in-place"
    options = ("--tester", "gemini", "--yes", "--fresh", "--max-cost", "0.50", "--format", "json")
    done = cli("verify", sample, *options, REFUTE_GEMINI_FILE=str(settings))
    outcome = json.loads(done.stdout)
    assert (outcome["status"], done.returncode) == ("FAILED_ADVERSARIAL", 10), done.stderr
    assert outcome["provenance"]["local_servers"] == []
    assert sum(one["calls"] for one in outcome["models"]) > 0
    assert 0 < float(outcome["cost_usd"]) <= 0.50
