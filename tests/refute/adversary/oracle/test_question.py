"""What is shown of a failing test holds its input and nothing of what it expects."""

from typing import Any

import pytest

from refute.adversary.oracle.question import Situation, situation_of
from tests.refute.adversary.conftest import make_run

HEAD = "from impl import double\n\n\n"


def tried(line: str) -> str:
    """Lines that ask which error one ends with."""
    return (
        f"try:\n    {line}\nexcept BaseException as error:\n    result = type(error).__name__\nelse:\n    result = None"
    )


def situation(test: str, *, line: int, message: str = "", kind: str = "AssertionError", **facts: Any) -> Situation:
    """The situation of a test whose line (1: its `def`) failed."""
    name = "test_" + test.partition("def test_")[2].partition("(")[0]
    trace = f"/attack/test_adversarial.py:{line + 3}: in {name}\n    …\n"
    run = make_run(name, error_type=kind, error_message=message, traceback=trace, **facts)
    found = situation_of(HEAD + test, name, run)
    assert found is not None
    return found


def test_a_value_that_was_kept_is_asked_for_with_the_lines_that_made_it() -> None:
    lines = ['"""Four."""', "box = make()", "assert box.n == 1", 'assert box.add(3) == 4, "four"']
    test = "\n    ".join(["def test_says_four():", *lines])
    found = situation(test, line=5, message="assert 5 == 4\n +  where 5 = <Box object>.add(3)")
    assert found.code == "box = make()\nbox.n\nresult = box.add(3)"
    assert (found.expected, found.came) == (4, "5")


def test_an_exception_that_did_not_come_is_asked_about_without_its_name() -> None:
    test = "def test_a():\n    with pytest.raises(ValueError, match='bad'):\n        double(None)\n"
    found = situation(test, line=2, message="DID NOT RAISE <class 'ValueError'>", kind="Failed")
    assert found.code == f"from impl import double\n{tried('double(None)')}"
    assert (found.expected, found.raises, found.came) == ("ValueError", {"ValueError"}, "None")


def test_an_exception_that_came_is_not_told() -> None:
    test = "def test_a():\n    got = double('x')\n    assert got == 'xx'\n"
    found = situation(test, line=2, message="no", kind="ValueError", raised_in_implementation=True)
    assert found.code.endswith("\n" + tried("got = double('x')"))
    assert "xx" not in found.code
    assert (found.expected, found.came) == (None, "'ValueError'")


@pytest.mark.parametrize("asserted", ["double(0)", "not double(0)", "double(0) is True", "False == double(0)"])
def test_of_truth_both_sides_are_asked_about_since_half_of_all_guesses_are_right(asserted: str) -> None:
    found = situation(f"def test_a():\n    assert {asserted}\n", line=2, message="no")
    assert found.code.endswith(f"result = {asserted}")
    assert found.is_truth


def test_the_smallest_input_stands_for_what_was_drawn() -> None:
    test = "@given(n=st.integers())\ndef test_a(n):\n    assert double(n) > n\n"
    found = situation(test, line=3, message="assert 0 > 0", smallest_input="n=0")
    assert "n = 0\nresult = double(n) > n" in found.code
    assert "given" not in found.code


def test_a_parametrized_test_is_a_loop() -> None:
    test = '@pytest.mark.parametrize("n,want", [(1, 2), (2, 4)])\ndef test_a(n, want):\n    assert double(n) == want\n'
    found = situation(test, line=3, message="assert 3 == 2")
    assert found.is_truth
    assert found.code.endswith("for n,want in [(1, 2), (2, 4)]:\n    result = double(n) == want")


def test_a_loop_keeps_what_later_rounds_need() -> None:
    test = (
        "def test_a():\n    seen = []\n    for n in double(3):\n        assert n not in seen\n"
        "        seen.append(n)\n        assert n < 9\n"
    )
    found = situation(test, line=4, message="assert 1 not in [1]")
    loop = "for n in double(3):\n    result = n not in seen\n    seen.append(n)\n    n\n"
    assert f"{found.code}\n".endswith(loop)


def test_of_words_that_an_error_should_say_it_is_asked_whether_it_says_them() -> None:
    test = "def test_a():\n    with pytest.raises(ValueError, match='positive'):\n        double(-1)\n"
    missed = "Regex pattern did not match.\n  Expected regex: 'positive'\n  Actual message: 'below 0'"
    found = situation(test, line=3, message=missed)
    assert (found.expected, found.error_text) == (True, "positive")
    assert found.code.endswith("result = re.search('positive', str(error)) is not None")
    assert "below" not in found.code


@pytest.mark.parametrize(("expected", "truth"), [("None", False), ("()", True), ("1", True)])
def test_being_one_thing_is_more_than_being_equal(expected: str, truth: bool) -> None:
    assert situation(f"def test_a():\n    assert double(1) is {expected}\n", line=2, message="no").is_truth is truth


def test_texts_in_helpers_that_do_nothing_are_not_shown() -> None:
    helper = (
        'class Box:\n    """Expect 5."""\n\n    def get(self):\n        """It is 5."""\n        return double(2)\n\n'
    )
    found = situation(helper + "def test_a():\n    assert Box().get() == 5\n", line=9, message="assert 4 == 5")
    assert "5" not in found.code
    assert "double(2)" in found.code
