import ast

import pytest

from refute.adversary.property.bounds import absorb
from refute.adversary.property.conditions import read_condition
from refute.adversary.property.documented import Entry, read_parameter
from refute.adversary.property.domain import MODEST, Domain
from refute.adversary.property.drawing import strategies
from refute.adversary.property.expressions import parse_expression
from refute.adversary.property.type_expressions import domain_of_type

INT, NUMBERS, TEXT = Domain(kind="int"), Domain(kind="list", items=(Domain(kind="int"),)), Domain(kind="str")


@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        ("A sorted list of ints", "st.lists(st.integers(-100, 100), max_size=8).map(sorted)"),
        ("a nonnegative int", "st.integers(0, 20)"),
        ("A positive integer to factor.", "st.integers(1, 21)"),
        ("a non-empty list of strings", "st.lists(st.text(max_size=12), min_size=1, max_size=8)"),
        ("A list of unique ints", "st.lists(st.integers(-100, 100), max_size=8, unique=True)"),
        ("The starting text.", "st.text(max_size=12)"),
        ("The number of rows to return", "st.integers(0, 20)"),
    ],
)
def test_descriptions_that_are_understood_give_a_strategy(text: str, strategy: str) -> None:
    domain = read_parameter(None, Entry(name="x", type="", text=text))
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
    assert read_parameter(None, Entry(name="x", type="", text=text)) is None


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
        ("n in (1, 2, 3)", "st.sampled_from([1, 2, 3])"),
        ("n in range(2, 5)", "st.integers(2, 4)"),
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


def test_a_variable_that_another_one_bounds_is_drawn_after_it() -> None:
    domains, left = absorb({"xs": NUMBERS, "k": INT}, [_parsed("0 <= k < len(xs)")])
    assert "lambda xs: st.integers(0, max(0, (len(xs)) - 1))" in dict(strategies(domains, left, MODEST))["k"]


def test_letters_that_a_precondition_names_become_the_alphabet() -> None:
    domains, left = absorb({"s": TEXT}, [_parsed("all(c in '()' for c in s)")])
    assert left == []
    assert domains["s"].strategy(MODEST) == "st.text('()', max_size=12)"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("n is negative", "n < 0"),
        ("`n` must be positive", "n > 0"),
        ("n >= 1, 2 <= n <= 36.", "n >= 1 and 2 <= n <= 36"),
        ("the list is empty", "len(xs) == 0"),
        ("n is zero or negative", "n == 0 or n < 0"),
        ("n is less than the length of xs", "n < len(xs)"),
        ("xs is sorted and n is even", "list(xs) == sorted(xs) and n % 2 == 0"),
    ],
)
def test_conditions_in_words_become_code(text: str, code: str) -> None:
    read = read_condition(text, {"n": INT, "xs": NUMBERS})
    assert read is not None
    assert ast.unparse(read) == ast.unparse(_parsed(code))


@pytest.mark.parametrize(
    "text", ["the graph is connected", "n fits", "xs is a heap", "open('x') == n", "n.__class__ == 1", "m < 0", "n"]
)
def test_conditions_that_are_not_understood_are_none(text: str) -> None:
    assert read_condition(text, {"n": INT, "xs": NUMBERS}) is None


def _parsed(text: str) -> ast.expr:
    node = parse_expression(text)
    assert node is not None
    return node
