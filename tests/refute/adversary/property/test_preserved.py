"""Claims that behaviour is as it was are attacked by comparing with the previous version."""

from dataclasses import replace

import pytest

from refute.adversary.attack import Attack, Brief, Origin, SourceModule
from refute.adversary.property import PropertyTester
from refute.adversary.screening.screen import screen
from refute.ticket.record import Module
from tests.refute.adversary.property.workbench import brief_of, failures

OLD = '''
from dataclasses import dataclass

@dataclass
class Pair:
    low: int
    high: int

def clamp(x: int, low: int = 0, high: int = 10) -> int:
    """x between low and high."""
    return max(low, min(high, x))

def spread(xs: list[int]) -> Pair:
    return Pair(min(xs), max(xs))
'''
CLAIM = "clamp(x) gives the same results as before."


def brief(claim: str, code: str, old: str | None = OLD) -> Brief:
    made = brief_of(code, [claim])
    module = Module(path="previous.py", name="previous", import_root=".")
    return replace(made, previous=SourceModule(module=module, source=old) if old else None)


def attack(claim: str, code: str) -> Attack:
    made = brief(claim, code)
    written = PropertyTester().write_tests(made)
    assert screen(written, made, scan=lambda *_: []).rejected == ()
    return written


@pytest.mark.parametrize(
    ("claim", "code", "failing"),
    [
        (CLAIM, OLD, 0),
        (CLAIM, OLD.replace("max(low, min(high, x))", "min(high, x)"), 1),
        (CLAIM, OLD.replace("return max", "if x == 7:\n        raise ValueError(x)\n    return max"), 1),
        ("The behaviour is unchanged.", OLD, 0),
        ("The behaviour is unchanged.", OLD.replace("Pair(min(xs), max(xs))", "Pair(max(xs), min(xs))"), 1),
    ],
    ids=["kept", "lost a bound", "raises now", "of every function", "one of them changed"],
)
def test_what_differs_from_the_previous_version_fails(claim: str, code: str, failing: int) -> None:
    written = attack(claim, code)
    assert {test.origin for test in written.tests} == {Origin.PREVIOUS}
    assert len(failures(written, {"subject": code, "previous": OLD})) == failing


def test_the_previous_version_alone_is_no_evidence_for_a_pass() -> None:
    assert Origin.PREVIOUS.by_author


def test_where_the_claim_has_a_bound_nothing_is_compared() -> None:
    made = brief("Behaviour of `clamp` is unchanged except for negative numbers.", OLD)
    (untested,) = PropertyTester().write_tests(made).untestable
    assert "speaks of changes too" in untested.reason


@pytest.mark.parametrize(
    ("code", "old", "word"),
    [
        (OLD, None, "names no `previous` version"),
        (OLD, "def other(x: int) -> int:\n    return x\n", "has no `clamp`"),
        (OLD.replace("x: int, low: int = 0", "x: int, by: int, low: int = 0"), OLD, "other arguments"),
        ("import datetime\ndef clamp(x: int) -> int:\n    return datetime.date.today().day\n", OLD, "more than"),
    ],
)
def test_why_nothing_can_be_compared_is_told(code: str, old: str | None, word: str) -> None:
    made = brief(CLAIM, code, old)
    (untested,) = PropertyTester().write_tests(made).untestable
    assert word in untested.reason
