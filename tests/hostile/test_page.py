"""The page lists what the suite runs, with what it expects."""

from tests.hostile.behaviour import Behaviour
from tests.hostile.catalogue.everything import GROUPS
from tests.hostile.known_differences import DIFFERENCES
from tests.hostile.page import PAGE, differences, write
from tests.hostile.trial import Trial

BEHAVIOURS = [behaviour for group in GROUPS.values() for behaviour in group]


def cells(behaviour: Behaviour) -> list[str]:
    return [behaviour.name + " \\*" * behaviour.shares, behaviour.does, behaviour.expected()]


def listed() -> list[list[str]]:
    lines = PAGE.read_text(encoding="utf-8").partition("## Known differences")[0].splitlines()
    rows = [line.replace("\\|", "¦").strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [[cell.replace("¦", "|") for cell in row[:3]] for row in rows if row[0] != "behaviour"]


def test_the_page_lists_exactly_the_behaviours_of_the_suite() -> None:
    assert listed() == [cells(behaviour) for behaviour in BEHAVIOURS], "make containment writes the page again"


def test_the_page_lists_exactly_the_known_differences() -> None:
    assert PAGE.read_text(encoding="utf-8").endswith(differences()), "make containment writes the page again"


def test_every_behaviour_has_a_name_of_its_own_and_a_program() -> None:
    names = [behaviour.name for behaviour in BEHAVIOURS]
    assert len(set(names)) == len(names) >= 60
    assert all(bool(behaviour.python) != bool(behaviour.bash) for behaviour in BEHAVIOURS)


def test_known_differences_are_of_behaviours_that_exist() -> None:
    assert {name for reasons in DIFFERENCES.values() for name in reasons} <= {b.name for b in BEHAVIOURS}


def test_a_written_page_says_what_was_observed_and_where() -> None:
    trials = {behaviour.name: Trial(observed="seen | so", faults=[]) for behaviour in BEHAVIOURS}
    page = write(trials, measured_on="an engine")
    assert page.count("seen \\| so") == len(BEHAVIOURS)
    assert "observed on an engine" in page
