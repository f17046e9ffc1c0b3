"""Code and tests that read the clock, draw numbers or race run each time; so do claims of a time."""

import pytest

from refute.caching.chance import left_to_chance
from tests.refute.adversary.conftest import make_brief


def chance(source: str, *claims: str, attack: str = "import impl\n", **others: str) -> str:
    """What left_to_chance says of `impl.py`, with other files by name."""
    files = {"impl.py": source, **{f"{name.replace('__', '/')}.py": text for name, text in others.items()}}
    return left_to_chance(make_brief(*claims), attack, {path: text.encode() for path, text in files.items()})


@pytest.mark.parametrize(
    "source",
    [
        "import time\n",
        "from concurrent.futures import ThreadPoolExecutor\n",
        "import datetime\n\ndef f():\n    return datetime.date.today()\n",
        "import threading\n\ndef f():\n    threading.Thread(target=print).start()\n",
        "import uuid\n\ndef f():\n    return uuid.uuid4()\n",
        "def f(:\n",
    ],
)
def test_code_or_tests_that_read_the_clock_or_draw_numbers_run_each_time(source: str) -> None:
    assert chance(source)
    assert chance("", attack=source)
    assert chance("from . import helper\n", helper="import pkg.deep\n", pkg__deep=source)


def test_a_claim_about_how_long_something_takes_is_tried_each_time() -> None:
    assert chance("", "solve(n) returns within 50 ms.")


@pytest.mark.parametrize(
    "source",
    [
        "",
        "import threading\n\nLOCK = threading.Lock()\n",
        "import re\n\n# O(n) time\n\ndef now_and_then(x):\n    return x.strip()\n",
    ],
)
def test_other_code_lasts(source: str) -> None:
    assert chance(source) == ""


def test_files_that_are_not_imported_do_not_count() -> None:
    assert chance("import helper\n", helper="A = 1\n", test_impl="import random\n") == ""
