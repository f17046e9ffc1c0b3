import pytest

from refute.adversary.counterexample import arguments, smallest_input


@pytest.mark.parametrize("lead", ["Falsifying example", "Failing test case"])
def test_the_falsifying_call_becomes_one_line_per_argument(lead: str) -> None:
    note = f"{lead}: test_x(\n    n=0,  # or any other generated value\n    text='a,\\nb',\n    items=[(1, None)],\n)"
    assert smallest_input(["something else", note]) == "n=0\ntext='a,\\nb'\nitems=[(1, None)]"


def test_drawn_values_are_listed() -> None:
    notes = ["Failing test case: test_x(\n    data=data(...),\n)", "Draw 1: [0, 1]", "Draw 2 (the key): 'k'"]
    assert smallest_input(notes) == "data=data(...)\ndraw 1=[0, 1]\ndraw 2 (the key)='k'"


@pytest.mark.parametrize("note", ["", "Falsifying example: ", "You can reproduce this example", "x" * 10_000])
def test_other_notes_are_no_counterexample(note: str) -> None:
    assert smallest_input([note]) == ""


def test_hostile_nesting_is_survived() -> None:
    assert smallest_input([f"Falsifying example: test_x(n={'[' * 3000})"])


def test_arguments_are_expressions_or_nothing() -> None:
    assert arguments("n=1\ntext='='") == {"n": "1", "text": "'='"}
    assert arguments("") == {}
    assert arguments("n=<object>") is None
    assert arguments("draw 1=2") is None
