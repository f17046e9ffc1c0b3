"""What is shown of a failing test holds its input and nothing of what it expects."""

import textwrap
from typing import Any

import pytest

from refute.adversary.attack import SourceModule
from refute.adversary.oracle.question import Form, Situation
from refute.adversary.oracle.situation import situation_of
from refute.ticket.record import Module
from tests.refute.adversary.conftest import make_run

HEAD = "from impl import double\n\n\n"
CODE = "def double(x):\n    return 2 * x\n"


def module(code: str = CODE) -> SourceModule:
    return SourceModule(module=Module(path="impl.py", name="impl", import_root="."), source=code)


def tried(line: str, asked: str) -> str:
    """Lines that ask whether one ends normally, or raises."""
    raised, ended = asked == "raised", asked == "ended"
    tail = f"except BaseException:\n    {asked} = {raised}\nelse:\n    {asked} = {ended}\ncondition = {asked}"
    return f"try:\n    {line}\n{tail}"


def situation(
    test: str, *, line: int, message: str = "", kind: str = "AssertionError", code: str = CODE, **facts: Any
) -> Situation:
    """The situation of a test whose line (1: its `def`) failed."""
    name = "test_" + test.partition("def test_")[2].partition("(")[0]
    trace = f"/attack/test_adversarial.py:{line + 3}: in {name}\n    …\n"
    run = make_run(name, error_type=kind, error_message=message, traceback=trace, **facts)
    found = situation_of(HEAD + test, name, run, [module(code)])
    assert found is not None
    return found


def test_a_call_with_plain_arguments_is_shown_alone() -> None:
    test = "def test_a():\n    for n, wanted in [(1, 2), (13, 26)]:\n        assert double(n) == wanted\n"
    found = situation(test, line=3, message="assert 27 == 26\n +  where 27 = double(13)")
    assert found == Situation(code="result = double(13)", form=Form.VALUE, expected=26, observed=27, seen="27")


def test_a_value_that_was_kept_is_asked_for_with_the_lines_that_made_it() -> None:
    lines = ['"""Four."""', "box = make()", "assert box.n == 1", 'assert box.add(3) == 4, "four"']
    test = "\n    ".join(["def test_says_four():", *lines])
    found = situation(test, line=5, message="assert 5 == 4\n +  where 5 = <Box object>.add(3)")
    assert found.code == "box = make()\nbox.n\nresult = box.add(3)"
    assert (found.form, found.expected, found.observed) == (Form.VALUE, 4, 5)


def test_an_exception_that_did_not_come_is_asked_about_without_its_name() -> None:
    test = "def test_a():\n    with pytest.raises(ValueError, match='bad'):\n        double(None)\n"
    found = situation(test, line=2, message="DID NOT RAISE <class 'ValueError'>", kind="Failed")
    assert found.code == f"from impl import double\n{tried('result = double(None)', 'raised')}"
    assert (found.form, found.expected, found.observed) == (Form.RAISES, "ValueError", "")


def test_an_exception_that_came_is_not_told() -> None:
    test = "def test_a():\n    got = double('x')\n    assert got == 'xx'\n"
    found = situation(test, line=2, message="no", kind="ValueError", raised_in_implementation=True)
    assert found.code.endswith("\n" + tried("result = got = double('x')", "ended"))
    assert "xx" not in found.code
    assert (found.form, found.observed) == (Form.ENDS, "ValueError")


def test_a_truth_value_that_a_call_alone_decides_is_asked_about_from_both_sides_too() -> None:
    message = "assert True is False\n +  where True = double(3)"
    found = situation("def test_a():\n    assert double(3) is False\n", line=2, message=message, code=CODE)
    assert (found.code, found.form) == ("condition = double(3) is False", Form.CONDITION)


@pytest.mark.parametrize("asserted", ["double(0)", "not double(0)", "double(0) is True", "False == double(0)"])
def test_of_truth_both_sides_are_asked_about_since_half_of_all_guesses_are_right(asserted: str) -> None:
    found = situation(f"def test_a():\n    assert {asserted}\n", line=2, message="no")
    assert found.code.endswith(f"condition = {asserted}")
    assert found.form is Form.CONDITION


def test_any_other_assertion_is_a_condition_with_its_helpers() -> None:
    test = "def test_a():\n    n = 3\n    assert 0 <= double(n) <= LIMIT\n\nLIMIT = 9\n"
    found = situation(test, line=3, message="assert 10 <= 9")
    assert found.form is Form.CONDITION
    assert "LIMIT = 9" in found.code
    assert found.code.endswith("condition = 0 <= double(n) <= LIMIT")


def test_the_smallest_input_stands_for_what_was_drawn() -> None:
    test = "@given(n=st.integers())\ndef test_a(n):\n    assert double(n) > n\n"
    found = situation(test, line=3, message="assert 0 > 0", smallest_input="n=0")
    assert "n = 0\ncondition = double(n) > n" in found.code
    assert "given" not in found.code


def test_of_a_table_only_the_input_is_shown() -> None:
    test = (
        '@pytest.mark.parametrize("bad,why", [(None, "secret"), ([], "secret")])\n'
        "def test_a(bad, why):\n    with pytest.raises(TypeError):\n        double(bad)\n"
    )
    found = situation(test, line=4, message="DID NOT RAISE", kind="Failed")
    assert "secret" not in found.code
    asked = textwrap.indent(tried("result = double(bad)", "raised"), "    ")
    assert found.code.endswith(f"for bad in [None, []]:\n{asked}")


@pytest.mark.parametrize("trace", ["", "/attack/other.py:7: in somewhere"])
def test_without_a_line_of_the_test_there_is_no_situation(trace: str) -> None:
    run = make_run("test_a", traceback=trace)
    assert situation_of(HEAD + "def test_a():\n    assert double(1) == 2\n", "test_a", run, [module()]) is None


def test_a_function_of_the_other_process_is_shown_by_its_name() -> None:
    test = "def test_a():\n    assert double([1, 2]) == 26\n"
    stub = "assert 27 == 26\n +  where 27 = <function double at 0x7fcc12dce480>({0})"
    assert situation(test, line=2, message=stub.format("[1, 2]")).code == "result = double([1, 2])"
    cut = situation(test, line=2, message=stub.format("[1, 2, 3, 4, 5, 6, ...]"))
    assert cut.code == "from impl import double\nresult = double([1, 2])"


def test_a_loop_keeps_what_later_rounds_need() -> None:
    test = (
        "def test_a():\n    seen = []\n    for n in double(3):\n        assert n not in seen\n"
        "        seen.append(n)\n        assert n < 9\n"
    )
    found = situation(test, line=4, message="assert 1 not in [1]")
    loop = "for n in double(3):\n    condition = n not in seen\n    seen.append(n)\n    n\n"
    assert f"{found.code}\n".endswith(loop)


def test_what_was_drawn_inside_the_test_stands_in_its_place() -> None:
    test = (
        "@given(xs=st.lists(st.integers()), data=st.data())\ndef test_a(xs, data):\n"
        "    k = data.draw(st.integers(0, 3))\n    assert double(xs, k) > k\n"
    )
    found = situation(test, line=4, message="assert 0 > 0", smallest_input="xs=[0]\ndata=data(...)\ndraw Draw 1=2")
    assert found.code == "from impl import double\nxs = [0]\nk = 2\ncondition = double(xs, k) > k"


ONE_CALL = "assert 27 == 26\n +  where 27 = double(13)"


@pytest.mark.parametrize(
    ("test", "line", "message", "code"),
    [
        (
            "def test_a():\n    set_up(7)\n    assert double(13) == 26\n",
            3,
            ONE_CALL,
            "WAYS = {}\n\n\ndef double(x):\n    return WAYS[x]\n",
        ),
        (
            "def test_a():\n    assert double(13) == 26\n",
            2,
            ONE_CALL,
            "class Double:\n    pass\n\n\ndouble = Double()\n",
        ),
        (
            'def test_a():\n    assert double(2) == 5, "assert 5 == 4\\n +  where 5 = double(2)"\n',
            2,
            "assert 5 == 4\n +  where 5 = double(2)\nassert 4 == 5",
            CODE,
        ),
        (
            "class N(int):\n    def __repr__(s):\n        return ''\n\ndef test_a():\n    assert double(N(3)) == 4\n",
            6,
            "assert 6 == 4\n +  where 6 = double(2)",
            CODE,
        ),
        (
            "def fake():\n    raise AssertionError\n\n\ndef test_a():\n    assert fake() == 1\n",
            6,
            "assert 5 == 4\n +  where 5 = double(2)",
            CODE,
        ),
        (
            "def test_a():\n    xs = [1]\n    assert double(xs) == 4\n",
            3,
            "assert 5 == 4\n +  where 5 = double([])",
            CODE,
        ),
    ],
    ids=[
        "state of the module",
        "an object",
        "the test's own message",
        "a value that lies",
        "an error made by hand",
        "changed",
    ],
)
def test_a_call_is_shown_alone_only_where_nothing_else_decides(test: str, line: int, message: str, code: str) -> None:
    found = situation(test, line=line, message=message, code=code)
    assert found.code != "result = double(13)"
    assert found.code != "result = double(2)"


def test_of_words_that_an_error_should_say_it_is_asked_whether_it_says_them() -> None:
    test = "def test_a():\n    with pytest.raises(ValueError, match='positive'):\n        double(-1)\n"
    missed = "Regex pattern did not match.\n  Expected regex: 'positive'\n  Actual message: 'below 0'"
    found = situation(test, line=3, message=missed)
    assert (found.form, found.error_text) == (Form.CONDITION, "positive")
    assert found.code.endswith("condition = re.search('positive', str(error)) is not None")
    assert "below" not in found.code


def test_an_object_of_the_test_s_own_that_compares_is_a_condition() -> None:
    test = (
        "class Box:\n    def __eq__(self, _):\n        return False\n\ndef test_a():\n    assert Box(double(2)) == 4\n"
    )
    assert situation(test, line=6, message="assert <Box> == 4").form is Form.CONDITION


@pytest.mark.parametrize(("expected", "form"), [("None", Form.VALUE), ("()", Form.CONDITION), ("1", Form.CONDITION)])
def test_being_one_thing_is_more_than_being_equal(expected: str, form: Form) -> None:
    assert situation(f"def test_a():\n    assert double(1) is {expected}\n", line=2, message="no").form is form


def test_texts_in_helpers_that_do_nothing_are_not_shown() -> None:
    helper = (
        'class Box:\n    """Expect 5."""\n\n    def get(self):\n        """It is 5."""\n        return double(2)\n\n'
    )
    found = situation(helper + "def test_a():\n    assert Box().get() == 5\n", line=9, message="assert 4 == 5")
    assert "5" not in found.code
    assert "double(2)" in found.code
