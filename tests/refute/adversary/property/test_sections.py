import pytest

from refute.adversary.property.sections import read_sections, sentences

PLAIN = """Sort it.

Input:
    xs: A list of ints
    k: An int

Precondition:
    all(
        x > 0 for x in xs
    )
    0 <= k

Output:
    The first k
"""
GOOGLE = """Sort it.

Args:
    xs (list[int]): A list of ints,
        maybe long.
    k: An int

Returns:
    The first k

Raises:
    ValueError: If k is negative.
"""
NUMPY = """Sort it.

Parameters
----------
xs : list of int
    Numbers.
k : int

Returns
-------
The first k
"""
SPHINX = """Sort it.

:param xs: A list of ints
:type xs: list[int]
:param int k: how many
:returns: The first k
:raises ValueError: if k is negative
"""


@pytest.mark.parametrize("text", [PLAIN, GOOGLE, NUMPY, SPHINX], ids=["plain", "google", "numpy", "sphinx"])
def test_every_style_gives_parameters_and_result(text: str) -> None:
    sections = read_sections(text)
    assert [entry.name for entry in sections.parameters] == ["xs", "k"]
    assert sections.returns == "The first k"
    assert sections.prose.startswith("Sort it.")


def test_a_precondition_in_brackets_stays_together() -> None:
    assert len(read_sections(PLAIN).preconditions) == 2


@pytest.mark.parametrize("text", [GOOGLE, SPHINX])
def test_documented_errors_are_read(text: str) -> None:
    assert [entry.name for entry in read_sections(text).raises] == ["ValueError"]


def test_types_are_read_from_their_place() -> None:
    assert read_sections(SPHINX).parameters[0].type == "list[int]"
    assert read_sections(GOOGLE).parameters[0].type == "list[int]"
    assert read_sections(NUMPY).parameters[0].text.startswith("list of int")


def test_sentences_end_at_full_stops_outside_of_code_and_numbers() -> None:
    plain = [sentence.plain for sentence in sentences("It takes 1.5 s (e.g. `a. b`). Then\nit ends.\n- An item")]
    assert plain == ["It takes 1.5 s (e.g. `a. b`).", "Then it ends.", "- An item"]
