"""A property is independent evidence where its expected side is the standard library's alone."""

from dataclasses import replace

import pytest

from refute.adversary.attack import Origin
from refute.adversary.property.tester import PropertyTester
from refute.ticket.record import Claim, ClaimId, Property
from tests.refute.adversary.property.workbench import brief_of

CODE = """
LIMIT = 3

def unique(xs: list[int]) -> list[int]:
    return sorted(set(xs))

def helper(xs):
    return sorted(xs)

class Box:
    def __init__(self, held):
        self.held = held

    def sorted(self):
        return Box(sorted(self.held))
"""


@pytest.mark.parametrize(
    ("check", "independent"),
    [
        ("unique(xs) == sorted(set(xs))", True),
        ("sorted(set(xs)) == unique(xs)", True),
        ("list(unique(xs)) == sorted(set(xs)) and unique(xs=xs) == sorted({*xs})", True),
        ("unique(xs) == list(collections.Counter(sorted(xs)))", True),
        ("unique(xs) == sorted(x for x in set(xs))", False),
        ("unique(xs) == (sorted(set(xs)) if xs else [])", False),
        ("Box(xs).held == xs", True),
        ("str(unique(xs)) == str(sorted(set(xs)))", True),
        ("Box(xs).sorted().held == sorted(xs)", True),
        ("LIMIT.real == len(xs)", False),
        ("unique(xs) == helper(set(xs))", False),
        ("unique(helper(xs)) == sorted(set(xs))", False),
        ("unique(xs) == unique(xs)", False),
        ("len(unique(xs)) == len(set(xs))", False),
        ("unique(xs) == sorted(set(xs))[:LIMIT]", False),
        ("unique(xs) == eval('sorted(set(xs))')", False),
        ("unique(xs) == [1, 2]", False),
        ("unique(xs) != xs", False),
        ("unique(xs)", False),
    ],
)
def test_all_but_one_call_of_the_code_must_be_the_standard_library_s(check: str, independent: bool) -> None:
    assert origin(Property(given={"xs": "list[int]"}, check=check)) == _origin(independent)


@pytest.mark.parametrize(
    ("text", "check", "independent"),
    [
        ("`unique` returns None for texts.", "unique(str(n)) is None", True),
        ("`unique` returns 0.5 for texts.", "unique(str(n)) == 0.5", True),
        ("`unique` returns 10.5 for texts.", "unique(str(n)) == 0", False),
        ("`unique` returns nothing for texts.", "unique(str(n)) is None", False),
        ("`unique` returns None for texts.", "unique('7') is None", False),
    ],
)
def test_or_a_constant_that_the_claim_gives(text: str, check: str, independent: bool) -> None:
    assert origin(Property(given={"n": "int"}, check=check), text) == _origin(independent)


@pytest.mark.parametrize(
    ("given", "assume", "independent"),
    [
        ("list[int]", "len(xs) > 1", True),
        ("list[int]", "xs == helper(xs)", False),
        ("st.lists(st.integers())", "", False),
    ],
)
def test_the_inputs_must_be_the_testers_own(given: str, assume: str, independent: bool) -> None:
    block = Property(given={"xs": given}, assume=assume, check="unique(xs) == sorted(set(xs))")
    assert origin(block) == _origin(independent)


@pytest.mark.parametrize(
    ("given", "assume", "independent"),
    [
        ("int", "n in (4, 9)", False),
        ("int", "0 <= n <= 40", False),
        ("int", "n == 12", True),  # which the claim names
        ("int", "1 <= n < 12", True),
        ("int", "n < 77", True),
        ("int", "n != 7", True),
        ("int", "n > -1 and n <= 100_000", True),
        ("int", "n > 100_000", False),
        ("Literal[4, 9]", "", False),
        ("Literal[12] | None", "", True),
        ("str", "len(n) < 50 and n.isdigit()", True),
        ("str", "len(n) < 5", False),
        ("str", "'z' in n", False),
    ],
)
def test_what_narrows_the_inputs_must_stand_in_the_claim(given: str, assume: str, independent: bool) -> None:
    block = Property(given={"n": given}, assume=assume, check="unique(n) == sorted(set(str(n)))")
    assert origin(block, "`unique` drops what comes twice up to 12, in 6..77 digits.") == _origin(independent)


@pytest.mark.parametrize(
    ("call", "independent"),
    [
        ("unique(n % 10)", False),
        ("unique(min(n, 5))", False),
        ("unique(str(n)[:3])", False),
        ("unique(n % 12)", True),  # which the claim names
        ("unique('%d px' % n)", True),
        ("unique([n, 7])", True),
    ],
)
def test_what_narrows_a_call_must_stand_in_the_claim_too(call: str, independent: bool) -> None:
    block = Property(given={"n": "int"}, check=f"{call} == sorted(set(str(n)))")
    assert origin(block, "`unique` drops what comes twice up to 12.") == _origin(independent)


def _origin(independent: bool) -> Origin:
    return Origin.FIELD if independent else Origin.AUTHOR_PROPERTY


def origin(block: Property, text: str = "`unique` drops what comes twice.") -> Origin:
    claim = replace(Claim(id=ClaimId("C1"), text=text), property=block)
    (test,) = PropertyTester().write_tests(brief_of(CODE, [claim])).tests
    return test.origin
