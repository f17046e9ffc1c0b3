"""The cases themselves: plain pytest, everything in one process, says what the cases say of right and wrong code."""

from pathlib import Path

import pytest

from tests.refute.driver.compat.case_file import Group, grouped, read_cases
from tests.refute.driver.compat.running import run_plain

pytestmark = pytest.mark.slow

GROUPS = grouped(read_cases())
IDS = ["+".join(case.name for case in group.cases) for group in GROUPS]


@pytest.mark.parametrize("group", GROUPS, ids=IDS)
def test_right_code_passes_plain_pytest(group: Group, tmp_path: Path) -> None:
    ends = run_plain(tmp_path, group.files(wrong=False), group.source)
    assert {name for name, end in ends.items() if end != "passed"} == set()
    assert set(ends) == set(group.tests)


@pytest.mark.parametrize("group", GROUPS, ids=IDS)
def test_wrong_code_fails_exactly_the_tests_that_the_case_names(group: Group, tmp_path: Path) -> None:
    ends = run_plain(tmp_path, group.files(wrong=True), group.source)
    assert {name for name, end in ends.items() if end != "passed"} == {
        name for case in group.cases for name in case.caught
    }
