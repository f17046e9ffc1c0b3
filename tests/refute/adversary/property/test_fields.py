"""The field that would make a claim executable, by its words."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from refute.adversary.attack import Attack, Brief
from refute.adversary.property.fields import field_for
from refute.adversary.property.tester import PropertyTester
from refute.adversary.property.weakness import OF_PROGRAM, ONLY_EXAMPLES, missing_fields, weaknesses
from refute.adversary.tables import rows
from refute.ticket.record import Claim, ClaimId, Kind, Property
from tests.refute.adversary.property.workbench import TWINS, brief_of

CODE = """
def parse(text, strict=False): return 0
def fast_sum(xs): return 0
def top(xs: list[int], n: int): return 0
def now(): return 0
class NoText(ValueError): ...
class Stack:
    def pop(self, index: int): return 0
    async def drain(self, at: int): return 0
async def load(name): return 0
def do(what): return 0
def undo(what): return 0
class Box:
    def __init__(self, size): self.size = size
    def fill(self, what): self.size += what
    @property
    def free(self): return self.size
"""


def linted(by: Callable[[Brief, Attack], tuple[Any, ...]], brief: Brief) -> tuple[Any, ...]:
    return by(brief, PropertyTester().write_tests(brief))


def test_each_row_matches_its_examples_and_not_what_it_must_not() -> None:
    assert [text for row in rows("property/fields") for text in row["matches"] if field_for(text) != row["kind"]] == []
    assert [row["not"] for row in rows("property/fields") if row["pattern"].search(row["not"])] == []


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("parse() raises ParseError for an empty text.", 'raises: {ParseError: "parse(...)"}'),
        ("parse() is unchanged.", "unchanged: [parse]"),
        ("parse() is idempotent.", 'property: {given: {text: ...}, check: "parse(text) == ..."}'),
        (
            "top() raises ValueError for a negative n.",
            'raises: {ValueError: {given: {xs: "list[int]", n: "int"}, assume: "...", call: "top(xs, n)"}}',
        ),
        (
            "parse() returns None for '1.2.3' instead of raising ValueError.",
            'property: {given: {text: ...}, assume: "...", check: "parse(text) is None"}',
        ),
        (
            "Stack.pop() raises KeyError when empty.",
            'raises: {KeyError: {given: {index: "int"}, assume: "...", call: "Stack(...).pop(index)"}}',
        ),
        ("An empty text is refused with NoText.", 'raises: {NoText: "f(...)"}'),
        ("fast_sum() is equivalent to lambda xs: 0.", "same_as: {fast_sum: ...}"),
        ("All else behaves as before.", "unchanged: [...]"),
        ("`now`: Tells the time.", 'examples: ["now() == ..."]'),
        ("`Box.free` is what is left.", 'examples: ["Box(...).free == ..."]'),
        ("`Box.fill` takes what fits.", r'examples: [">>> it = Box(...)\n>>> it.fill(...)\n>>> it...\n..."]'),
        ("`Stack().pop()` fails at first.", 'property: {given: {index: "int"}, check: "Stack(...).pop(index) == ..."}'),
        (
            "`Stack.drain` keeps the order.",
            'property: {given: {at: "int"}, check: "asyncio.run(Stack(...).drain(at)) == ..."}',
        ),
        ("`load` raises NoText for a name of no file.", 'raises: {NoText: "asyncio.run(load(...))"}'),
        ("`undo` is the inverse of `do`.", 'property: {given: {x: ...}, check: "undo(do(x)) == x"}'),
        (
            "undo(): input encoded with base64.b64encode comes back decoded.",
            'property: {given: {x: ...}, check: "undo(base64.b64encode(x)) == x"}',
        ),
    ],
)
def test_a_claim_without_a_field_gets_one_to_paste(text: str, template: str) -> None:
    (advice,) = linted(missing_fields, brief_of(CODE, [text]))
    assert str(advice) == f"C1 has no executable field; add  {template}"


def test_a_claim_with_a_field_or_an_example_gets_none() -> None:
    claim = Claim(id=ClaimId("C1"), text="It is right.", unchanged={"parse": ""})
    assert linted(missing_fields, brief_of(CODE, [claim, "parse('1') == 1", ">>> parse('2')\n2"])) == ()


def test_a_claim_whose_examples_are_in_a_docstring_alone_is_told_once() -> None:
    documented = 'def parse(text):\n    """Read.\n\n    >>> parse("1")\n    1\n    """\n    return int(text)\n'
    brief = brief_of(documented, ["`parse` reads numbers."])
    assert PropertyTester().write_tests(brief).tests
    assert (len(linted(missing_fields, brief)), linted(weaknesses, brief)) == (1, ())


@pytest.mark.parametrize(
    ("check", "told"),
    [("undo(do(x)) == x", ["no side of `undo(do(x)) == x` is one call of the code alone"]), ("undo(str(x)) == x", [])],
)
def test_a_round_trip_is_evidence_where_the_library_makes_its_first_half(check: str, told: list[str]) -> None:
    claim = Claim(id=ClaimId("C1"), text="They undo each other.", property=Property(given={"x": "int"}, check=check))
    assert [one.reason for one in linted(weaknesses, brief_of(CODE, [claim]))] == told


def test_a_field_that_gives_no_test_is_told_beside_the_claim_s_examples() -> None:
    block = Property(given={"x": "integers(0, 9)"}, check="undo(do(x)) == x")
    claim = Claim(id=ClaimId("C1"), text="They undo each other: parse('1') == 1.", property=block)
    told = linted(weaknesses, brief_of(CODE, [claim]))
    assert [(one.is_tested, one.reason.partition(" got")[0]) for one in told] == [
        (False, "property: given x:"),
        (True, ONLY_EXAMPLES),
    ]


def test_what_unchanged_names_and_the_code_has_not_is_told() -> None:
    claim = Claim(id=ClaimId("C1"), text="It is right.", unchanged={"parse": "", "Stack.pop": "", "_now": ""})
    (told,) = linted(weaknesses, brief_of(CODE, [claim]))
    assert str(told).startswith(
        "C1 is not tested: unchanged: got '_now', expected a public function, or `Class.method`"
    )


def test_what_a_claim_says_of_code_elsewhere_is_told() -> None:
    claims = ["`other` behaves exactly as before.", "`parse` behaves exactly as before."]
    told = linted(weaknesses, brief_of(CODE, claims))
    assert [str(one).partition(";")[0] for one in told] == [
        "C1 is not tested: it names code that the implementation files do not define"
    ]


def test_a_program_is_advised_to_show_a_command() -> None:
    made = brief_of(CODE, ["It adds numbers."])
    made = replace(made, ticket=replace(made.ticket, kind=Kind.CLI))
    (advice,) = linted(missing_fields, made)
    assert (advice.field, advice.template.partition("  ")[0]) == ("run", 'run: "subject.py ..."')


def test_a_program_s_claims_are_told_to_need_a_model() -> None:
    made = brief_of(CODE, ["It adds:\n\n    $ python subject.py 1 2\n    3\n", "It adds numbers."], kind=Kind.CLI)
    assert [(one.claim_id, one.reason) for one in linted(weaknesses, made)] == [("C1", OF_PROGRAM)]


def test_the_field_that_is_advised_names_module_and_error() -> None:
    made = brief_of(TWINS, ["`b.parse` rejects an empty text with NoText.", "`a.parse` is as before."])
    advice = linted(missing_fields, made)
    assert "raises: {NoText: " in str(advice[0])
    assert 'call: "b.parse(text)"' in str(advice[0])
    assert "a.parse" in str(advice[1])
