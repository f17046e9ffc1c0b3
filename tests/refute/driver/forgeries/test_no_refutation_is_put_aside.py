"""A failure that the code puts down to chance, to its test or to the machinery does not leave the claim standing."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from refute.adversary.attack import TriagedTest, TriageVerdict
from refute.adversary.contract import ResultsModel
from refute.adversary.triage import triage_tests
from tests.refute.adversary.conftest import make_attack, make_attack_run, make_brief, make_test
from tests.refute.driver.conftest import DRIVER, FILE
from tests.refute.driver.forgeries.evasive import IMPLEMENTATION, TESTS

pytestmark = pytest.mark.slow

NAMES = [line[4:].partition("(")[0] for line in TESTS.splitlines() if line.startswith("def test_")]
STANDS = frozenset({TriageVerdict.REFUTED, TriageVerdict.NEEDS_REVIEW})


@pytest.fixture(scope="module")
def triaged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TriagedTest]:
    """All tests against the evasive code, with every repetition in fresh processes, and what triage makes of them."""
    folder = tmp_path_factory.mktemp("evasive")
    workspace, attack = folder / "workspace", folder / "attack"
    workspace.mkdir()
    attack.mkdir()
    (workspace / "impl.py").write_text(IMPLEMENTATION)
    (workspace / "sample.txt").write_text("1")
    (attack / FILE).write_text(TESTS)
    plan = {
        "version": 1,
        "nonce": "of this run",
        "attack_dir": str(attack),
        "test_file": FILE,
        "results_file": "results.json",
        "workspace": str(workspace),
        "import_roots": ["."],
        "modules": ["impl"],
        "tests": NAMES,
        "scratch_dir": str(folder / "scratch"),
        "repetitions": 2,
        "test_timeout_s": 3,
        "suite_timeout_s": 300,
        "memory_bytes": 1536 * 1024 * 1024,
        "recursion_limits": [1000],
    }
    (attack / "plan.json").write_text(json.dumps(plan))
    subprocess.run([sys.executable, "-I", str(DRIVER), str(attack / "plan.json")], check=True, capture_output=True)
    results = ResultsModel.model_validate_json((attack / "results.json").read_bytes())
    assert results.tampering == []
    first = [report.record() for report in results.first]
    again = [[report.record() for report in reports] for reports in results.repetitions]
    brief = replace(make_brief(), workspace_paths=("impl.py", "sample.txt"))
    tests = triage_tests(
        make_attack_run(first, *again), make_attack(TESTS, [make_test(name) for name in NAMES]), brief, repetitions=2
    )
    return {one.test.name: one for one in tests}


@pytest.mark.parametrize("name", NAMES)
def test_what_was_wrong_is_not_put_aside(triaged: dict[str, TriagedTest], name: str) -> None:
    one = triaged[name]
    assert one.verdict in STANDS or one.contested, (one.verdict, one.reason, one.run)
