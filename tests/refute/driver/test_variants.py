"""The tests on changed implementations: fresh processes for each, until one notices; none leaves word to the next."""

from pathlib import Path
from typing import Any

import pytest

from refute.driver.plan import Report, noticed, shortened
from tests.refute.driver.conftest import Drive

IMPLEMENTATION = """
def double(x):
    return 2 * x
"""
TESTS = """
def test_imports():
    import impl

def test_four():
    import impl
    assert impl.double(2) == 4

def test_two():
    import impl
    assert impl.double(1) == 2
"""
NAMES = ["test_imports", "test_four", "test_two"]
LEAVES_WORD = """
import pathlib
WORD = pathlib.Path({word!r})
def double(x):
    if WORD.exists() or pathlib.Path("left.txt").exists():
        return 0
    WORD.parent.mkdir(exist_ok=True)
    WORD.touch()
    pathlib.Path("left.txt").touch()
    return 2 * x
"""
VARIANTS = {
    "control": IMPLEMENTATION,
    "wrong": "def double(x):\n    return 3 * x\n",
    "right again": IMPLEMENTATION + "\n",
    "hangs": "def double(x):\n    while True:\n        pass\n",
    "leaves": "import os\n\ndef double(x):\n    os._exit(0)\n",
    "does not import": "raise ValueError('no')\n",
    "prints a result": 'print(\'{"nonce": "of this run"}\')\n' + IMPLEMENTATION,
}


@pytest.mark.slow
def test_each_variant_is_tested_afresh_until_a_test_notices_or_by_all_tests(drive: Drive, tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    word = LEAVES_WORD.format(word=str(left / "word"))
    everything = VARIANTS | {"leaves word": word, "finds none": word}
    variants: list[dict[str, Any]] = [{"name": name, "files": {"impl.py": one}} for name, one in everything.items()]
    through = {"leaves, all tests": VARIANTS["leaves"], "wrong, all tests": VARIANTS["wrong"]}
    variants += [{"name": name, "files": {"impl.py": one}, "all_tests": True} for name, one in through.items()]
    results = drive(IMPLEMENTATION, TESTS, NAMES, variants=variants, emptied=[str(left)], test_timeout_s=6)
    assert (results["exit_code"], results["first"], results["timed_out"]) == (0, [], False)
    ends = {one["name"]: [report["end"] for report in one["reports"]] for one in results["variants"]}
    passed = ["passed"] * 3
    assert ends == {
        "control": passed,
        "wrong": ["passed", "failed"],
        "right again": passed,
        "hangs": ["passed", "timed_out"],
        "leaves": ["passed", "died"],
        "does not import": ["failed"],
        "prints a result": passed,
        "leaves word": ["passed", "passed", "failed"],
        "finds none": ["passed", "passed", "failed"],
        "leaves, all tests": ["passed", "died", "died"],
        "wrong, all tests": ["passed", "failed", "failed"],
    }


@pytest.mark.slow
def test_what_the_limit_cuts_off_is_left_out(drive: Drive) -> None:
    slow = "import time\n\ndef double(x):\n    time.sleep(20)\n    return 2 * x\n"
    variants = [{"name": str(number), "files": {"impl.py": slow}} for number in range(3)]
    results = drive(IMPLEMENTATION, TESTS, NAMES, variants=variants, suite_timeout_s=4)
    assert (results["exit_code"], results["timed_out"], results["variants"]) == (0, True, [])


@pytest.mark.slow
def test_the_clock_alone_cuts_no_variant_off_where_processors_did_something_else(drive: Drive) -> None:
    waits = "import time\ntime.sleep(3)\n\ndef double(x):\n    return 2 * x\n"
    variants = [{"name": str(number), "files": {"impl.py": waits}} for number in range(3)]
    results = drive(IMPLEMENTATION, TESTS, NAMES, variants=variants, suite_timeout_s=5, longest_s=60)
    assert (results["timed_out"], len(results["variants"])) == (False, 3)


@pytest.mark.slow
def test_no_variant_is_begun_once_the_limit_is_reached_by_clock_and_processors(drive: Drive) -> None:
    works = "import time\nwhile time.process_time() < 2: pass\n\ndef double(x):\n    return 2 * x\n"
    variants = [{"name": str(number), "files": {"impl.py": works}} for number in range(9)]
    results = drive(IMPLEMENTATION, TESTS, NAMES, variants=variants, suite_timeout_s=3, longest_s=120)
    ends = [[report["end"] for report in one["reports"]] for one in results["variants"]]
    assert results["timed_out"]
    assert 1 <= len(ends) <= 2  # each takes 2 s of a processor or more; the one that had begun has ended
    assert all(one == ["passed"] * 3 for one in ends)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"end": "passed"}, False),
        ({"end": "failed", "error_type": "AssertionError"}, True),
        ({"end": "failed", "error_type": "_pytest.outcomes.Failed"}, True),
        ({"end": "failed", "error_type": "KeyError", "raised_in_implementation": True}, True),
        ({"end": "failed", "error_type": "NameError"}, False),
        ({"end": "failed", "error_type": "AssertionError", "not_carried": "a lock"}, False),
        ({"end": "broken"}, False),
        ({"end": "skipped"}, False),
        ({"end": "timed_out"}, True),
        ({"end": "died"}, True),
    ],
)
def test_only_what_shows_another_behaviour_or_a_limit_ends_a_variant(facts: dict[str, object], expected: bool) -> None:
    assert noticed(Report(name="test_a", **facts)) is expected  # type: ignore[arg-type]


def test_reports_on_variants_are_short() -> None:
    long = Report(name="t", end="failed", error_message="m" * 10_000, traceback="t" * 20_000, notes=["n"])
    short = shortened(long)
    assert len(short.traceback) < 2_200
    assert len(short.error_message) < 1_200
    assert short.notes == []
