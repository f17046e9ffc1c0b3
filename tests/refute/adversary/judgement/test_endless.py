"""When a limit says that a call on small input has no end."""

import pytest

from refute.adversary.attack import TestEnd
from refute.adversary.judgement.endless import endless
from tests.refute.adversary.conftest import make_run

LOOPING = (
    'Thread 0x1 (most recent call first):\n  File "/workspace/bits.py", line 4 in bits\n  File "/t.py", line 3 in go\n'
)
BRANCHING = LOOPING + '  File "/workspace/bits.py", line 2 in bits\n'


def hung(source: str, traceback: str = LOOPING, limit: str = "time", **facts: object) -> bool:
    given = {"duration_s": 20.0, "computed": True, **facts}
    run = make_run("test_a", TestEnd.TIMED_OUT, traceback=traceback, **given)
    return endless(run, source, limit)


@pytest.mark.parametrize("call", ["bits(127)", "bits([3, 1, 2], 'ab')", "bits(-1.5, None)"])
def test_a_loop_on_small_input_has_no_end(call: str) -> None:
    assert hung(f'def test_a():\n    """Says {"x" * 500}."""\n    assert {call} == 7\n')


@pytest.mark.parametrize(
    "call", ["bits(10_000)", "bits(2**20)", "bits([1] * 99)", "bits(list(range(9)))", "bits([x for x in y])"]
)
def test_on_large_input_it_may_only_be_slow(call: str) -> None:
    assert not hung(f"def test_a():\n    assert {call} == 7\n")


def test_branching_recursion_may_only_be_slow() -> None:
    assert not hung("def test_a():\n    assert bits(40) == 7\n", BRANCHING)
    assert not hung("def test_a():\n    assert bits(40) == 7\n", "no frame of the code")


def test_a_recursion_without_end_is_told_by_its_smallest_input() -> None:
    source = "@given(n=st.integers())\ndef test_a(n):\n    bits(n)\n"
    assert hung(source, limit="recursion", smallest_input="n=0")
    assert not hung(source, limit="recursion", smallest_input="n=100000")
    assert not hung(source, limit="recursion")
    assert not hung(source, limit="memory", smallest_input="n=0")


def test_code_that_waited_may_be_about_to_answer() -> None:
    assert not hung("def test_a():\n    assert bits(127) == 7\n", computed=False)
