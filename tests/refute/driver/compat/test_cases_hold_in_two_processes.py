"""The cases under the driver: right code passes and is attested, a wrong variant fails the tests that it failed."""

import functools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.refute.driver.compat.case_file import CaseFile, Group, grouped, read_cases
from tests.refute.driver.compat.judging import breaches_of_right_code, breaches_of_wrong_code
from tests.refute.driver.driving import run_driver

pytestmark = pytest.mark.slow

GROUPS = grouped(read_cases())
# A group runs once for all of its cases: by one worker.
TOGETHER = [
    pytest.param(case, id=case.name, marks=pytest.mark.xdist_group(f"compat-{number}"))
    for number, group in enumerate(GROUPS)
    for case in group.cases
]
Reports = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture(scope="module")
def reports(folder: Path):
    """`reports(case, wrong=…)` → the reports of its tests; its group runs once, at the first question."""

    @functools.cache
    def run(number: int, wrong: bool) -> dict[str, Any]:
        group: Group = GROUPS[number]
        place = folder / f"{number}-{'wrong' if wrong else 'right'}"
        return run_driver(place, group.files(wrong=wrong), group.source, group.tests, modules=group.modules)

    def ask(case: CaseFile, *, wrong: bool) -> Reports:
        number = next(number for number, group in enumerate(GROUPS) if case in group.cases)
        results = run(number, wrong)
        assert results["exit_code"] == 0, results["stderr"]
        assert results["tampering"] == []
        return {report["name"]: report for report in results["first"]}

    return ask


@pytest.mark.parametrize("case", TOGETHER)
def test_right_code_passes_and_is_attested(case: CaseFile, reports) -> None:
    assert list(breaches_of_right_code(case, reports(case, wrong=False))) == []


@pytest.mark.parametrize("case", TOGETHER)
def test_wrong_code_fails_the_tests_that_it_fails_in_one_process(case: CaseFile, reports) -> None:
    assert list(breaches_of_wrong_code(case, reports(case, wrong=True))) == []
