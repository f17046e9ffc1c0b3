import ast

import pytest

from refute.adversary.property.bounds import absorb
from refute.adversary.property.documented import described
from refute.adversary.property.domain import MODEST, Domain
from refute.adversary.property.expressions import parse_expression
from refute.adversary.property.subject import read_condition
from refute.adversary.property.type_expressions import domain_of_type

INT, NUMBERS, TEXT = Domain(kind="int"), Domain(kind="list", items=(Domain(kind="int"),)), Domain(kind="str")


@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        ("A sorted list of ints", "st.lists(st.integers(-100, 100), max_size=8).map(sorted)"),
        ("a nonnegative int", "st.integers(0, 20)"),
        ("A positive integer to factor.", "st.integers(1, 21)"),
        ("a value to find", "st.integers(-20, 20)"),
    ],
)
def test_descriptions_that_are_understood_give_a_strategy(text: str, strategy: str) -> None:
    domain = described(text, None, [NUMBERS])
    assert domain is not None
    assert domain.strategy(MODEST) == strategy


@pytest.mark.parametrize(
    "text",
    [
        "A valid ISO date",
        "a digraph node",
        "A string of parentheses",
        "a list of nodes",
        "an int indicating a day",
        "",
    ],
)
def test_descriptions_that_restrict_beyond_understanding_give_none(text: str) -> None:
    assert described(text, None, []) is None


def test_a_type_holds_where_its_description_says_no_more() -> None:
    assert described("The numbers to sort", NUMBERS, []) == NUMBERS
    assert described("A positive number", INT, []) == Domain(kind="int", minimum=1)
    assert described("must be valid", INT, []) is None


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("int", "int"),
        ("list[str]", "list"),
        ("dict[str, int]", "dict"),
        ("int | None", "any of"),
        ("Optional[str]", "any of"),
        ("tuple[int, str]", "tuple"),
        ("Literal['a', 'b']", "one of"),
        ("datetime.date", "strategy"),
        ("'list[int]'", "list"),
    ],
)
def test_annotations_give_a_domain(annotation: str, kind: str) -> None:
    domain = domain_of_type(parse_expression(annotation))
    assert domain is not None
    assert domain.kind == kind


@pytest.mark.parametrize("annotation", ["Any", "object", "list", "Callable[[int], int]", "Node", "set[list[int]]"])
def test_annotations_that_say_too_little_give_none(annotation: str) -> None:
    assert domain_of_type(parse_expression(annotation)) is None


@pytest.mark.parametrize(
    ("condition", "strategy"),
    [
        ("1 <= n <= 100", "st.integers(1, 100)"),
        ("n > 0", "st.integers(1, 21)"),
        ("0.5 < n < 9.5", "st.integers(1, 9)"),
        ("n >= -2 ** 3 and n < 2", "st.integers(-8, 1)"),
        ("7 > n and n >= -1.5", "st.integers(-1, 6)"),
        ("n == 3", "st.integers(3, 3)"),
    ],
)
def test_bounds_go_into_the_strategy(condition: str, strategy: str) -> None:
    domains, left = absorb({"n": INT}, [_parsed(condition)])
    assert left == []
    assert domains["n"].strategy(MODEST) == strategy


@pytest.mark.parametrize("condition", ["n != 3", "n % 2 == 0", "n > 5 and n < 2"])
def test_other_conditions_stay_assumptions(condition: str) -> None:
    domains, left = absorb({"n": INT}, [_parsed(condition)])
    assert left
    assert not domains["n"].is_void


@pytest.mark.parametrize(
    ("condition", "strategy"),
    [
        ("xs == sorted(xs)", "st.lists(st.integers(-100, 100), max_size=8).map(sorted)"),
        ("0 < len(xs) <= 3", "st.lists(st.integers(-100, 100), min_size=1, max_size=3)"),
        ("all(0 <= x < 9 for x in xs)", "st.lists(st.integers(0, 8), max_size=8)"),
    ],
)
def test_what_holds_of_a_list_goes_into_the_strategy(condition: str, strategy: str) -> None:
    domains, left = absorb({"xs": NUMBERS}, [_parsed(condition)])
    assert left == []
    assert domains["xs"].strategy(MODEST) == strategy


def test_letters_that_a_precondition_names_become_the_alphabet() -> None:
    domains, left = absorb({"s": TEXT}, [_parsed("all(c in '()' for c in s)")])
    assert left == []
    assert domains["s"].strategy(MODEST) == "st.text('()', max_size=12)"


@pytest.mark.parametrize("text", ["n >= 1 and 2 <= n <= 36", "all(x < n for x in xs)", "n < len(xs)"])
def test_conditions_are_python(text: str) -> None:
    read = read_condition(f"`{text}`.", {"n": INT, "xs": NUMBERS})
    assert read is not None
    assert ast.unparse(read) == ast.unparse(_parsed(text))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("n is negative", "n < 0"),
        ("a negative n", "n < 0"),
        ("xs is empty", "len(xs) == 0"),
        ("n is above 3", "n > 3"),
        ("n is at least m", "n >= m"),
    ],
)
def test_a_comparison_may_be_in_words(text: str, meant: str) -> None:
    read = read_condition(text, {"n": INT, "m": INT, "xs": NUMBERS})
    assert read is not None
    assert ast.unparse(read) == meant


@pytest.mark.parametrize(
    "text",
    [
        "the graph is connected",
        "n fits",
        "xs is sorted",
        "open('x') == n",
        "n.__class__ == 1",
        "m < 0",
        "n",
    ],
)
def test_conditions_that_are_not_understood_are_none(text: str) -> None:
    assert read_condition(text, {"n": INT, "xs": NUMBERS}) is None


def _parsed(text: str) -> ast.expr:
    node = parse_expression(text)
    assert node is not None
    return node
