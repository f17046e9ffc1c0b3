"""Each row of doubts.toml by its own examples, and where the doubts are looked for."""

from typing import Any

import pytest

from refute.adversary.property.tables import rows
from tests.refute.adversary.property.workbench import attack_on

TOLD = [(row, text) for row in rows("doubts") for text in row["says"]]


def _found(row: dict[str, Any], text: str) -> bool:
    whole = row["kind"] == "calls"
    return bool(row["pattern"].fullmatch(text) if whole else row["pattern"].search(text))


@pytest.mark.parametrize(("row", "text"), TOLD, ids=[text for _, text in TOLD])
def test_a_row_finds_what_it_says(row: dict[str, Any], text: str) -> None:
    assert _found(row, text)


@pytest.mark.parametrize("row", rows("doubts"), ids=lambda row: row["not"])
def test_no_row_of_its_kind_finds_what_it_refuses(row: dict[str, Any]) -> None:
    assert not any(_found(other, row["not"]) for other in rows("doubts") if other["kind"] == row["kind"])


@pytest.mark.parametrize(
    ("code", "example"),
    [
        ("import datetime\n\ndef f():\n    return datetime.date.today().year", "f() == 2024"),
        ("import uuid\n\ndef f():\n    return str(uuid.uuid4())", "f() == 'ab'"),
        ("def f(name):\n    with open(name) as file:\n        return file.read()", "f('notes.txt') == 'a'"),
        ("import sys\n\ndef f():\n    return sys._getframe(1).f_code.co_name", "f() == '<module>'"),
    ],
)
def test_an_example_whose_answer_hangs_on_more_than_its_arguments_is_untested(code: str, example: str) -> None:
    attack = attack_on(code, example)
    assert attack.tests == ()
    assert attack.untestable[0].reason


def test_a_clock_that_an_argument_may_replace_is_no_doubt() -> None:
    code = "import time\n\ndef f(now=None):\n    return now or time.time()"
    assert len(attack_on(code, "f(3) == 3").tests) == 1


@pytest.mark.parametrize(
    ("claim", "tests"),
    [
        ("Sorts them. f([2, 1]) == [1, 2]", 1),
        ("In any order. f([2, 1]) == [1, 2]", 0),
        ("If strict is set, f([2, 1]) == [1, 2]", 0),
        ("True if it is long\nf([2, 1]) == [1, 2]\nf([1]) == [1]", 2),
    ],
)
def test_words_around_an_example_may_leave_it_open(claim: str, tests: int) -> None:
    assert len(attack_on("def f(xs):\n    return sorted(xs)", claim).tests) == tests


def test_a_function_that_reads_files_is_tested_where_no_path_is_given() -> None:
    code = "import os\n\ndef f(name):\n    return len(os.listdir('.')) * 0 + len(name)"
    assert len(attack_on(code, "f('abc') == 3").tests) == 1
