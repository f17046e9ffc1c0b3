"""No test that truly fails is reported passed and attested, whatever the implementation does."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from tests.refute.driver.compat.case_file import CaseFile, read_cases
from tests.refute.driver.forgeries.judging import FOLDER, breaches, run_case

pytestmark = pytest.mark.slow
OPEN = {
    "protocol": "the driver does by name what the subject asks of it (P1-P6 of the report); remove with the fix",
}
"""Forgeries that get through as yet. A fix turns the test red until its entry is gone."""


def cases() -> Iterator[ParameterSet]:
    """All forgeries; what is open is expected to fail."""
    for case in read_cases(FOLDER):
        marks = [pytest.mark.xfail(reason=OPEN[case.name])] if case.name in OPEN else []
        yield pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize("case", cases())
def test_a_forgery_is_never_passed_and_attested(case: CaseFile, tmp_path: Path) -> None:
    assert list(breaches(case, run_case(tmp_path, case))) == []
