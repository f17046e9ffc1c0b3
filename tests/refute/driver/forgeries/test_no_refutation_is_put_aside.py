"""A failure that the code puts down to chance, to its test or to the machinery does not leave the claim standing."""

import json
from dataclasses import replace

import pytest

from refute.adversary.attack import TriagedTest, TriageVerdict
from refute.adversary.contract import ResultsModel
from refute.adversary.judgement.triage import triage_tests
from tests.refute.adversary.conftest import make_attack, make_attack_run, make_brief, make_test
from tests.refute.driver.driving import run_driver
from tests.refute.driver.forgeries.evasive import IMPLEMENTATION, TESTS

pytestmark = pytest.mark.slow

NAMES = [line[4:].partition("(")[0] for line in TESTS.splitlines() if line.startswith("def test_")]
STANDS = frozenset({TriageVerdict.REFUTED, TriageVerdict.NEEDS_REVIEW})


@pytest.fixture(scope="module")
def triaged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TriagedTest]:
    """All tests against the evasive code, with every repetition in fresh processes, and what triage makes of them."""
    ran = run_driver(
        tmp_path_factory.mktemp("evasive"),
        {"impl.py": IMPLEMENTATION, "sample.txt": "1"},
        TESTS,
        NAMES,
        repetitions=2,
        test_timeout_s=3,
        suite_timeout_s=300,
    )
    assert ran.pop("exit_code") == 0, ran["stderr"]
    del ran["stderr"]
    results = ResultsModel.model_validate_json(json.dumps(ran))
    assert results.tampering == ()
    brief = replace(make_brief(), workspace_paths=("impl.py", "sample.txt"))
    tests = triage_tests(
        make_attack_run(results.first, *results.repetitions),
        make_attack(TESTS, [make_test(name) for name in NAMES]),
        brief,
        repetitions=2,
    )
    return {one.test.name: one for one in tests}


@pytest.mark.parametrize("name", NAMES)
def test_what_was_wrong_is_not_put_aside(triaged: dict[str, TriagedTest], name: str) -> None:
    one = triaged[name]
    assert one.verdict in STANDS or one.contested, (one.verdict, one.reason, one.run)
