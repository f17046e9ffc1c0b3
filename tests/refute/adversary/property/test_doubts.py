"""Each row of doubts.toml by its own examples, and where the doubts are looked for."""

from typing import Any

import pytest

from refute.adversary.tables import rows
from tests.refute.adversary.property.workbench import attack_on


def _found(row: dict[str, Any], text: str) -> bool:
    whole = row["kind"] == "calls"
    return bool(row["pattern"].fullmatch(text) if whole else row["pattern"].search(text))


def test_a_row_finds_what_it_says_and_none_of_its_kind_what_it_refuses() -> None:
    all_rows = rows("property/doubts")
    assert [text for row in all_rows for text in row["says"] if not _found(row, text)] == []
    assert [
        row["not"] for row in all_rows for one in all_rows if one["kind"] == row["kind"] and _found(one, row["not"])
    ] == []


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
