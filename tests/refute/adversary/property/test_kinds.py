"""What values are drawn: of types, of descriptions, under conditions."""

import ast

import pytest

from refute.adversary.property.arguments import described, read_condition
from refute.adversary.property.expressions import parse_expression
from refute.adversary.property.given import drawn
from refute.adversary.property.kinds import Kind, kind_of

INT, NUMBERS = Kind(name="int"), Kind(name="list", items=(Kind(name="int"),))


@pytest.mark.parametrize(
    ("text", "kind", "conditions"),
    [
        ("A sorted list of ints", NUMBERS, ["xs == sorted(xs)"]),
        ("A list of positive ints", NUMBERS, ["all(item > 0 for item in xs)"]),
        ("a nonnegative int", INT, ["xs >= 0"]),
        ("A positive integer to factor.", INT, ["xs > 0"]),
        ("a value to find", INT, []),
    ],
)
def test_descriptions_that_are_understood_give_a_kind(text: str, kind: Kind, conditions: list[str]) -> None:
    assert described("xs", text, None, [NUMBERS]) == (kind, conditions)


@pytest.mark.parametrize(
    "text",
    ["A valid ISO date", "a digraph node", "A string of parentheses", "a list of nodes", "an int indicating a day", ""],
)
def test_descriptions_that_restrict_beyond_understanding_give_none(text: str) -> None:
    assert described("x", text, None, []) == (None, [])


@pytest.mark.parametrize(
    ("annotation", "strategy"),
    [
        ("int", "st.integers(-20, 20)"),
        ("list[bool]", "st.lists(st.booleans(), max_size=8)"),
        ("Mapping[int, None]", "st.dictionaries(st.integers(-20, 20), st.none(), max_size=8)"),
        ("int | None", "st.integers(-20, 20) | st.none()"),
        ("Optional[bool]", "st.booleans() | st.none()"),
        ("tuple[int, bool]", "st.tuples(st.integers(-20, 20), st.booleans())"),
        ("tuple[bool, ...]", "st.lists(st.booleans(), max_size=8).map(tuple)"),
        ("Literal['a', 'b']", "st.sampled_from(['a', 'b'])"),
        ("datetime.date", "st.dates()"),
        ("'set[int]'", "st.sets(st.integers(-20, 20), max_size=8)"),
    ],
)
def test_annotations_give_a_strategy(annotation: str, strategy: str) -> None:
    kind = kind_of(parse_expression(annotation))
    assert kind.strategy(small=True) == strategy


@pytest.mark.parametrize("annotation", ["Any", "object", "list", "Callable[[int], int]", "Node", "set[list[int]]"])
def test_annotations_that_say_too_little_give_none(annotation: str) -> None:
    assert kind_of(parse_expression(annotation)) is None


@pytest.mark.parametrize(
    ("condition", "strategy"),
    [
        ("1 <= n <= 36", "st.integers(-56, 56).filter(lambda n: 1 <= n).filter(lambda n: n <= 36)"),
        ("n % 2 == 0", "st.integers(-22, 22).filter(lambda n: n % 2 == 0)"),
        ("xs == sorted(xs)", "st.lists(st.integers(-20, 20), max_size=8).map(sorted)"),
        ("len(xs) > 0", "st.lists(st.integers(-20, 20), max_size=8).filter(lambda xs: len(xs) > 0)"),
    ],
)
def test_what_is_said_of_one_variable_filters_its_strategy(condition: str, strategy: str) -> None:
    name = "xs" if "xs" in condition else "n"
    given, left = drawn({name: NUMBERS if name == "xs" else INT}, [_parsed(condition)], small=True)
    assert left == []
    assert given == ((name, strategy),)


@pytest.mark.parametrize("condition", ["n < len(xs)", "all(x < n for x in xs)", "is_valid(n)"])
def test_other_conditions_stay_assumptions(condition: str) -> None:
    given, left = drawn({"n": INT, "xs": NUMBERS}, [_parsed(condition)], small=True)
    assert [*map(ast.unparse, left)] == [ast.unparse(_parsed(condition))]
    assert "filter" not in str(given)


@pytest.mark.parametrize(
    "text", ["the graph is connected", "n fits", "xs is sorted", "open('x') == n", "n.__class__ == 1", "m < 0", "n"]
)
def test_conditions_that_are_not_understood_are_none(text: str) -> None:
    assert read_condition(text, ["n", "xs"]) is None


def _parsed(text: str) -> ast.expr:
    node = parse_expression(text)
    assert node is not None
    return node
