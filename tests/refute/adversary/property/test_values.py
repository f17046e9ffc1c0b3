import pytest

from refute.adversary.property.values import leading_value, read_raised, read_value


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("[1, 2]", "[1, 2]"),
        ("-1.50", "pytest.approx(-1.5, abs=0.005000000005)"),
        ("{'a': 2.5}", "{'a': pytest.approx(2.5, abs=0.05000000005)}"),
        ("Decimal('1.10')", "Decimal('1.10')"),
        ("19 - 5 - 6 = 8", "8"),
        ("“quoted”", "'quoted'"),
        ("{1.5, 2}", "{1.5, 2}"),
    ],
)
def test_values_are_read(text: str, source: str) -> None:
    value = read_value(text)
    assert value is not None
    assert value.source == source


@pytest.mark.parametrize(
    "text",
    [
        "3-5",
        "[1, ...]",
        "3 or 4",
    ],
)
def test_prose_and_computations_are_no_values(text: str) -> None:
    assert read_value(text) is None


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("4, f(5) is 6", "4"),
        ("[1,\n 2]\nMore.", "[1, 2]"),
    ],
)
def test_a_value_ends_where_the_sentence_goes_on(text: str, source: str) -> None:
    read = leading_value(text)
    assert read is not None
    assert read[0].source == source


@pytest.mark.parametrize("text", ["9 items", "50% of it", "1 if strict", "2, 1", "1,000", "3 or 4"])
def test_a_value_that_prose_continues_is_none(text: str) -> None:
    assert leading_value(text) is None


def test_an_exception_under_a_condition_is_no_example() -> None:
    assert read_raised(" ValueError.", named=True) is not None
    assert read_raised(" ValueError if strict", named=False) is None
    assert read_raised(" Wrong", named=True) is None
    assert read_raised("a `ValueError`: too small", named=True) is not None
    assert read_raised("ValueError instances", named=True) is None
