"""Predicates of voters are worked out without running anything."""

import pytest

from refute.adversary.oracle.predicate import holds


@pytest.mark.parametrize(
    ("predicate", "value", "held"),
    [
        ("len(result) >= 2", [1, 2], True),
        ("0 < result <= 10 and result != 5", 5, False),
        ("sorted(result) == [1, 2]", (2, 1), True),
        ("result is None or isinstance(result, str)", None, True),
        ("not result", "", True),
        ("'a' in result", "bag", True),
        ("result[0] == result[-1]", "aba", True),
        ("result - 1 == -2", -1, True),
        ("result['n'] == 3", {"n": 3}, True),
    ],
)
def test_plain_conditions_are_worked_out(predicate: str, value: object, held: bool) -> None:
    assert holds(predicate, value) is held


@pytest.mark.parametrize(
    "predicate",
    [
        "other == 1", "result.real == 1", "result * 10**9", "__import__('os')", "result ==", "len(result, 2)",
        "1 / 0", "",
    ],
)  # fmt: skip
def test_what_is_not_plain_is_no_answer(predicate: str) -> None:
    assert holds(predicate, 1) is None
