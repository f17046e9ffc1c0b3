"""No test that truly fails is reported passed and attested, whatever the implementation does."""

from pathlib import Path

import pytest

from tests.refute.driver.compat.case_file import CaseFile, read_cases
from tests.refute.driver.forgeries.judging import FOLDER, breaches, run_case

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in read_cases(FOLDER)])
def test_a_forgery_is_never_passed_and_attested(case: CaseFile, tmp_path: Path) -> None:
    assert list(breaches(case, run_case(tmp_path, case))) == []
