"""Where the implementation decides in a helper, what follows counts unless the helper may have kept the answer."""

import contextlib

import pytest

from refute.driver import attestation
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
PURE = """
def fits(wanted, got):
    return same(wanted, got) and all(same(one, other) for one, other in zip([wanted], [got]))

def same(wanted, got):
    return bool(wanted == got)
"""
RECORDS = """
SEEN = []

def fits(wanted, got):
    return note(wanted == got)

def note(told):
    SEEN.append(told)
    return told
"""
COUNTS = """
def fits(wanted, got):
    fits.last = wanted == got
    return fits.last
"""
CLOSES = """
def make():
    seen = []
    def fits(wanted, got):
        seen.append(wanted == got)
        return seen[-1]
    return fits

fits = make()
"""


@pytest.mark.parametrize(
    ("helper", "attested"),
    [(PURE, True), (RECORDS, False), (COUNTS, False), (CLOSES, False)],
    ids=["pure", "records", "counts", "closes"],
)
def test_what_follows_a_helper_counts_where_it_keeps_nothing(drive: Drive, helper: str, attested: bool) -> None:
    tests = f"{helper}\ndef test_first():\n    from impl import Point\n    assert fits(Point(1), Point(2))\n{LATER}"
    reports = by_name(drive(CODE, tests, ["test_first", "test_later"])["first"])
    assert [reports[name]["attested"] for name in ("test_first", "test_later")] == [False, attested]


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


@pytest.mark.parametrize(("fails", "ran"), [(False, attestation.ENOUGH), (True, 150)])
def test_slow_code_is_spared_inputs_beyond_enough_while_none_fails(
    monkeypatch: pytest.MonkeyPatch, *, fails: bool, ran: int
) -> None:
    facts, seen = attestation.Attestation("test.py", "test", ""), list[int]()

    def test(number: int) -> None:
        seen.append(number)
        assert not fails or number, "the first input is a counterexample"

    counted = facts.counting(test)
    monkeypatch.setattr(attestation, "monotonic", lambda: facts._begun + attestation.ENOUGH_S + 1)
    for number in range(150):
        with contextlib.suppress(AssertionError):
            counted(number)
    assert len(seen) == ran
