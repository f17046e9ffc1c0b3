"""The cases under the driver: right code passes and is attested, a wrong variant fails the tests that it failed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.refute.driver.compat.case_file import CaseFile, read_cases
from tests.refute.driver.compat.judging import breaches_of_right_code, breaches_of_wrong_code
from tests.refute.driver.driving import run_driver

pytestmark = pytest.mark.slow

CASES = [pytest.param(case, id=case.name) for case in read_cases()]


def reports(folder: Path, case: CaseFile, files: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The reports of a case's tests."""
    results = run_driver(folder, files, case.test, case.tests, modules=case.modules)
    assert results["exit_code"] == 0, results["stderr"]
    assert results["tampering"] == []
    return {report["name"]: report for report in results["first"]}


@pytest.mark.parametrize("case", CASES)
def test_right_code_passes_and_is_attested(case: CaseFile, tmp_path: Path) -> None:
    assert list(breaches_of_right_code(case, reports(tmp_path, case, case.files))) == []


@pytest.mark.parametrize("case", CASES)
def test_wrong_code_fails_the_tests_that_it_fails_in_one_process(case: CaseFile, tmp_path: Path) -> None:
    assert list(breaches_of_wrong_code(case, reports(tmp_path, case, case.wrong_files))) == []
