import pytest

from refute.adversary.property.values import leading_value, read_raised, read_value


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("[1, 2]", "[1, 2]"),
        ("true", "True"),
        ("null", "None"),
        ("-1.50", "pytest.approx(-1.5, abs=0.005000000005)"),
        ("{'a': 2.5}", "{'a': pytest.approx(2.5, abs=0.05000000005)}"),
        ("inf", "float('inf')"),
        ("Decimal('1.10')", "Decimal('1.10')"),
        ("set()", "set()"),
        ("2 ** 31", "2 ** 31"),
        ("19 - 5 - 6 = 8", "8"),
        ("'a = 2'", "'a = 2'"),
        ("Color.RED", "Color.RED"),
        ("{1.5, 2}", "{1.5, 2}"),
    ],
)
def test_values_are_read(text: str, source: str) -> None:
    value = read_value(text)
    assert value.source == source


@pytest.mark.parametrize(
    "text",
    [
        "x", "'ca9781...'", "['a', '...']", "3-5", "2020-10-12", "[1, ...]", "3 or 4", "f(2)", "the sum", "1, 2", "",
        "a == b", "lambda: 1",
    ],
)  # fmt: skip
def test_prose_and_computations_are_no_values(text: str) -> None:
    assert read_value(text) is None


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("4.", "4"),
        ("4, f(5) is 6", "4"),
        ("'a' and f('c') -> 'd'", "'a'"),
        ("6 # because", "6"),
        ("[1,\n 2]\nMore.", "[1, 2]"),
    ],
)
def test_a_value_ends_where_the_sentence_goes_on(text: str, source: str) -> None:
    read = leading_value(text)
    assert read[0].source == source


@pytest.mark.parametrize("text", ["9 items", "50% of it", "1 if strict", "2, 1", "1,000", "3 or 4"])
def test_a_value_that_prose_continues_is_none(text: str) -> None:
    assert leading_value(text) is None


def test_precision_is_half_a_unit_of_the_last_written_digit_or_a_rounding_error() -> None:
    short, full = read_value("3.1"), read_value("1.4166666666666665")
    assert "0.05" in short.source
    assert "e-09" in full.source


def test_an_exception_under_a_condition_is_no_example() -> None:
    assert read_raised(" ValueError.", named=True) is not None
    assert read_raised(" ValueError if strict", named=False) is None
    assert read_raised(" Wrong", named=True) is None
    assert read_raised("a `ValueError`: too small", named=True) is not None
    assert read_raised("ValueError instances", named=True) is None
