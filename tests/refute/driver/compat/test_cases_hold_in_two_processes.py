"""The cases under the driver: right code passes and is attested, a wrong variant fails the tests that it failed."""

from pathlib import Path

import pytest

from tests.refute.driver.compat.case_file import CaseFile, read_cases
from tests.refute.driver.compat.judging import breaches_of_right_code, breaches_of_wrong_code
from tests.refute.driver.driving import run_driver

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in read_cases()])
def test_right_code_passes_attested_and_wrong_code_fails_what_it_fails_in_one_process(
    case: CaseFile, tmp_path: Path
) -> None:
    codes = {"right": case.files, "wrong": case.wrong_files}
    variants = [{"name": name, "files": files, "all_tests": True} for name, files in codes.items()]
    results = run_driver(tmp_path, case.files, case.test, case.tests, modules=case.modules, variants=variants)
    assert results["exit_code"] == 0, results["stderr"]
    assert [one["tampering"] for one in results["variants"]] == [[], []]
    right, wrong = ({report["name"]: report for report in one["reports"]} for one in results["variants"])
    assert [*breaches_of_right_code(case, right), *breaches_of_wrong_code(case, wrong)] == []
