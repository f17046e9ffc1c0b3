"""The pages list what the suite runs, with what it expects, and what differs on other runtimes."""

import pytest

from tests.hostile.catalogue.everything import GROUPS
from tests.hostile.differences_page import listed
from tests.hostile.known_differences import DEPENDS_ON_SPEED, DIFFERENCES, EVERYDAY
from tests.hostile.page import PAGE, others, page_of

BEHAVIOURS = [behaviour for group in GROUPS.values() for behaviour in group]


def test_the_page_lists_exactly_the_behaviours_of_the_suite() -> None:
    shown = listed(PAGE.read_text(encoding="utf-8"))
    expected = {behaviour.name: [behaviour.does, behaviour.expected()] for behaviour in BEHAVIOURS}
    assert {name: row[:2] for name, row in shown.items()} == expected, "make containment writes the page again"


def test_the_page_leads_to_those_of_other_runtimes() -> None:
    assert PAGE.read_text(encoding="utf-8").endswith(others()), "make containment writes the page again"
    assert all(page_of(name).is_file() for name in DIFFERENCES)


@pytest.mark.parametrize("runtime", list(DIFFERENCES))
def test_the_page_of_another_runtime_lists_exactly_the_known_differences(runtime: str) -> None:
    shown = listed(page_of(runtime).read_text(encoding="utf-8"))
    expected = {name: known.why for name, known in DIFFERENCES[runtime].items()} | EVERYDAY[runtime]
    for name in DEPENDS_ON_SPEED - shown.keys():
        expected.pop(name)
    assert {name: row[-1] for name, row in shown.items()} == expected, "make gvisor writes the page again"


def test_every_behaviour_has_a_name_of_its_own_and_a_program() -> None:
    names = [behaviour.name for behaviour in BEHAVIOURS]
    assert len(set(names)) == len(names) >= 60
    assert all(bool(behaviour.python) != bool(behaviour.bash) for behaviour in BEHAVIOURS)


def test_known_differences_are_of_behaviours_that_exist() -> None:
    assert {name for reasons in DIFFERENCES.values() for name in reasons} <= {b.name for b in BEHAVIOURS}
