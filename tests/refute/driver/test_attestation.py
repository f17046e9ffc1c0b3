"""What follows a decision of the implementation's outside a test's own body does not count: it may have been kept."""

import pytest

from tests.refute.driver.conftest import Drive, by_name

pytestmark = pytest.mark.slow

CODE = """
class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return True
"""
LATER = """
def test_later():
    from impl import Point
    assert Point(2).x == 2
"""


def test_what_follows_a_helper_does_not_count(drive: Drive) -> None:
    helper = "def same(wanted, got):\n    return bool(wanted == got)\n"
    tests = f"{helper}\ndef test_first():\n    from impl import Point\n    assert same(Point(1), Point(2))\n{LATER}"
    reports = by_name(drive(CODE, tests, ["test_first", "test_later"])["first"])
    assert [reports[name]["attested"] for name in ("test_first", "test_later")] == [False, False]


def test_what_follows_a_fixture_does_not_count(drive: Drive) -> None:
    tests = f"""
import pytest

@pytest.fixture(scope="module")
def equal():
    from impl import Point
    return Point(1) == Point(2)

def test_first(equal):
    assert equal is True
{LATER}"""
    reports = by_name(drive(CODE, tests, ["test_first", "test_later"])["first"])
    assert [reports[name]["attested"] for name in ("test_first", "test_later")] == [False, False]
