"""The fields of a claim become tests: `raises` inside just its inputs, `same_as` against the function that it names."""

from dataclasses import replace

import pytest

from refute.adversary.attack import Origin
from refute.adversary.property.tester import PropertyTester
from refute.ticket.record import Claim, ClaimId, Property, Raises
from tests.refute.adversary.property.workbench import brief_of, failures

CODE = """
def fast_sum(xs: list[int]) -> int:
    total = 0
    for x in xs:
        total += x
    return total

def slow_sum(xs: list[int]) -> int:
    return sum(xs)

def root(n: int) -> float:
    if n < 0:
        raise ValueError(n)
    return n ** 0.5

def squares(n):
    if n < 0:
        raise ValueError(n)
    yield n * n

def cut(text: str, prefix: str) -> str:
    return text[len(prefix):] if text.startswith(prefix) else text
"""
CLAIM = Claim(id=ClaimId("C1"), text="It is right.")
BELOW = Raises(error="ValueError", call="root(n)", given={"n": "int"}, assume="n < 0")
EDGE = Raises(error="ValueError", call="root(-1)")
LAZY = Raises(error="ValueError", call="squares(-1)")


@pytest.mark.parametrize("one", [BELOW, EDGE, LAZY])
def test_a_promised_error_that_does_not_come_fails(one: Raises) -> None:
    attack = PropertyTester().write_tests(brief_of(CODE, [replace(CLAIM, raises=(one,))]))
    assert [test.origin.by_author for test in attack.tests] == [True]
    assert failures(attack, CODE) == {}
    assert len(failures(attack, CODE.replace("if n < 0", "if n < -5"))) == 1 or one is BELOW
    assert len(failures(attack, CODE.replace("raise ValueError(n)", "return 0"))) == 1


@pytest.mark.parametrize(
    ("text", "one", "independent"),
    [
        ("root() raises ValueError below zero.", BELOW, True),
        ("root() fails below zero.", BELOW, False),
        ("root() raises ValueError with a message that names n, below zero.", BELOW, False),
        ("root() raises ValueError below zero.", EDGE, False),
        ("root() raises ValueError below zero.", replace(BELOW, call="root(fast_sum([n]))"), False),
        ("root() raises ValueError below zero.", replace(BELOW, given={"n": "st.just(-1)"}), False),
    ],
)
def test_an_error_that_the_claim_names_is_independent_on_drawn_inputs(
    text: str, one: Raises, independent: bool
) -> None:
    (test,) = PropertyTester().write_tests(brief_of(CODE, [replace(CLAIM, text=text, raises=(one,))])).tests
    assert test.origin.by_author is not independent


@pytest.mark.parametrize(
    ("name", "other", "origin"),
    [
        ("fast_sum", "sum", Origin.LIBRARY),
        ("fast_sum", "math.fsum", Origin.LIBRARY),
        ("fast_sum", "slow_sum", Origin.AUTHOR_PROPERTY),
        ("cut", "str.removeprefix", Origin.LIBRARY),
    ],
)
def test_a_function_that_gives_another_result_than_the_named_one_fails(name: str, other: str, origin: Origin) -> None:
    attack = PropertyTester().write_tests(brief_of(CODE, [replace(CLAIM, same_as={name: other})]))
    assert [test.origin for test in attack.tests] == [origin]
    assert origin.by_author is (origin is Origin.AUTHOR_PROPERTY)
    assert failures(attack, CODE) == {}
    wrong = CODE.replace("total = 0", "total = len(xs) == 2").replace("text[len(prefix):] if", "text.lstrip(prefix) if")
    assert len(failures(attack, wrong)) == 1


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (replace(CLAIM, same_as={"fast_sum": "os.system"}), "got 'os.system', expected a public function"),
        (replace(CLAIM, same_as={"fast_sum": "eval"}), "got 'eval'"),
        (replace(CLAIM, same_as={"quick_sum": "sum"}), "got 'quick_sum', expected a public function"),
        (replace(CLAIM, same_as={"squares": "sum"}), "give an example that calls it"),
        (replace(CLAIM, raises=(replace(EDGE, call="route(-1)"),)), "uses `route`, which is neither"),
        (replace(CLAIM, raises=(replace(BELOW, given={"n": "Thing"}),)), "given n"),
    ],
)
def test_a_field_that_cannot_be_tested_says_what_was_expected(claim: Claim, word: str) -> None:
    (untested,) = PropertyTester().write_tests(brief_of(CODE, [claim])).untestable
    assert word in untested.reason


NUMBERS = """
def grouped(n: int) -> str:
    return format(n, ',')

def product(n: int) -> int:
    return 1 if n < 2 else n * product(n - 1)

def root(n: int) -> int:
    if n < 0:
        raise ValueError(n)
    return int(n ** 0.5)

def divisor(a: int, b: int) -> int:
    a, b = abs(a), abs(b)
    while b:
        a, b = b, a % b
    return a

def level(name: str) -> str:
    return {'low': '1', 'high': '9'}.get(name, name)

def short(text: str) -> str:
    if len(text) > 255:
        raise ValueError(text)
    return text

LONGEST = 255

def cut(text: str) -> str:
    return _cut(text)

def _cut(text):
    return text[:LONGEST]

def plain(text: str) -> str:
    return text.replace('&lt;', '<').replace('&gt;', '>')

def digits(text: str) -> str:
    found = text.replace('-', '')
    if len(found) != 7 or not found.isdigit():
        raise ValueError(text)
    return found

def sized(n: int) -> str:
    return f'{n} B' if n < 1000 else f'{n // 1000} kB'

def escape(s: str) -> str:
    return __import__('html').escape(s)
"""
CUT = Property(given={"text": "str"}, assume=None, check="cut(text) == text[:255]")
PLAIN = Property(
    given={"text": "str"}, assume=None, check="plain(text) == text.replace('&lt;', '<').replace('&gt;', '>')"
)
SIZED = Property(given={"n": "int"}, assume="0 <= n < 1000", check="sized(n) == str(n) + ' B'")
LONG = Raises(error="ValueError", call="short(text)", given={"text": "str"}, assume="len(text) > 255")
LETTER = Raises(error="ValueError", call="digits(head + 'x' + tail)", given={"head": "str", "tail": "str"})
GROUPED = Property(given={"n": "int"}, assume=None, check="grouped(n) == format(n, ',')")
PRODUCT = Property(given={"n": "int"}, assume="n >= 0", check="product(n) == math.factorial(n)")
LEVEL = Property(given={"name": "str"}, assume=None, check="level(name).isdigit() or level(name) == name")


@pytest.mark.parametrize(
    ("claim", "right", "wrong"),
    [
        (replace(CLAIM, property=GROUPED), "format(n, ',')", "str(n)"),
        (replace(CLAIM, same_as={"product": "math.factorial"}), "n < 2", "n < 5"),  # and recurses no deeper than it may
        (replace(CLAIM, property=PRODUCT), "n < 2", "n < 5"),
        (replace(CLAIM, same_as={"root": "math.isqrt"}), "if n < 0", "if n < 1"),
        (replace(CLAIM, same_as={"divisor": "math.gcd"}), "abs(a), abs(b)", "a, abs(b)"),
        (replace(CLAIM, property=SIZED), "n < 1000", "n < 999"),
        (replace(CLAIM, property=CUT), "[:LONGEST]", "[:LONGEST + 1]"),
        (replace(CLAIM, property=CUT), "[:LONGEST]", ""),
        (replace(CLAIM, property=PLAIN), "('&gt;', '>')", "('&gt', '>')"),
        (replace(CLAIM, raises=(LONG,)), "> 255", "> 256"),
        (replace(CLAIM, raises=(LETTER,), examples=("digits('555-1234')",)), "('-', '')", "('-', '').rstrip('x')"),
        (replace(CLAIM, same_as={"escape": "html.escape"}), "escape(s)", "escape(s).replace('&#x27;', chr(39))"),
        (replace(CLAIM, property=LEVEL, examples=("level('high') == '9'",)), "'low': '1'", "'HIGH': 'x'"),
    ],
    ids=[
        *("large numbers", "same_as of what recurses", "property of what recurses", "refused alone", "zero and below"),
        *("at a bound", "beside a size", "beyond a size", "texts of the code", "long texts"),
        *("inside an argument", "all punctuation", "texts near examples"),
    ],
)
def test_values_that_matter_are_tried_beside_drawn_ones(claim: Claim, right: str, wrong: str) -> None:
    attack = PropertyTester().write_tests(brief_of(NUMBERS, [claim]))
    assert failures(attack, NUMBERS) == {}
    assert failures(attack, NUMBERS.replace(right, wrong))
