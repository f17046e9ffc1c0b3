from pathlib import Path
from typing import Any

import pytest

from tests.refute.driver.conftest import Drive, by_name
from tests.refute.driver.driving import run_driver

pytestmark = pytest.mark.slow

IMPLEMENTATION = """
import os
import time

LIMIT = 3

def double(x):
    return 2 * x

def capped(x):
    if x > 50:
        return 1
    return x

def refuse(x):
    raise ValueError("no")

def deep(x):
    return deep(x + 1)

def big():
    return bytearray(10**10)

def leave():
    os._exit(0)

def spin():
    while True:
        time.sleep(0.01)

def interrupt():
    raise KeyboardInterrupt
"""
TESTS = """
import pytest
from hypothesis import given, settings, strategies as st

def test_right():
    import impl
    assert impl.double(2) == 4

def test_wrong():
    import impl
    assert impl.double(2) == 5

@settings(database=None, derandomize=True, deadline=None)
@given(x=st.integers(), y=st.booleans())
def test_property(x, y):
    import impl
    assert impl.capped(x) == x

def test_refused():
    import impl
    assert impl.refuse(1) == 1

def test_deep():
    import impl
    assert impl.deep(1) == 1

def test_big():
    import impl
    assert impl.big()

def test_leaves():
    import impl
    assert impl.leave()

def test_interrupted():
    import impl
    assert impl.interrupt()

def test_own_mistake():
    import impl
    assert undefined

def test_no_such_fixture(nothing):
    assert nothing

@pytest.mark.parametrize("x", [1, 2, 3])
def test_each(x):
    import impl
    assert impl.double(x) != 4

def test_spins():
    import impl
    assert impl.spin()

def test_last():
    import impl
    assert impl.double(1) == 2
"""
NAMES = [line[4 : line.index("(")] for line in TESTS.splitlines() if line.startswith("def test_")]


def test_each_way_for_a_test_to_end_is_told_apart_and_stops_no_other_test(drive: Drive) -> None:
    results = drive(IMPLEMENTATION, TESTS, [*NAMES, "test_gone"], test_timeout_s=8, suite_timeout_s=300)
    assert results["exit_code"] == 0, results["stderr"]
    first = by_name(results["first"])
    assert results["tampering"] == []
    assert {name: report["end"] for name, report in first.items()} == {
        "test_right": "passed",
        "test_wrong": "failed",
        "test_property": "failed",
        "test_refused": "failed",
        "test_deep": "failed",
        "test_big": "failed",
        "test_leaves": "died",
        "test_interrupted": "failed",
        "test_own_mistake": "failed",
        "test_no_such_fixture": "broken",
        "test_each": "failed",
        "test_spins": "timed_out",
        "test_last": "passed",
        "test_gone": "missing",
    }
    assert_blame(first)


def assert_blame(first: dict[str, Any]) -> None:
    inside = {name for name, report in first.items() if report["raised_in_implementation"]}
    assert inside == {"test_refused", "test_deep", "test_big", "test_interrupted", "test_spins"}
    assert {name for name, report in first.items() if report["raised_on_purpose"]} == {
        "test_refused",
        "test_interrupted",
    }
    assert not first["test_own_mistake"]["reached_implementation"]
    assert first["test_wrong"]["reached_implementation"]
    assert first["test_deep"]["error_type"] == "RecursionError"
    assert first["test_big"]["error_type"] == "MemoryError"
    assert first["test_leaves"]["error_message"] == "the process ended: exit code 0"
    assert any("x=51" in note for note in first["test_property"]["notes"])
    assert "spin" in first["test_spins"]["traceback"]


def test_a_failure_that_cannot_be_shown_is_one_all_the_same_and_stops_no_other_test(drive: Drive) -> None:
    tests = """
import impl

def test_shown_by_code_that_fails():
    __tracebackhide__ = lambda error: 1 / 0
    assert impl.double(2) == 5

def test_next():
    assert impl.double(2) == 4
"""
    results = drive(IMPLEMENTATION, tests, ["test_shown_by_code_that_fails", "test_next"])
    assert results["tampering"] == []
    reports = by_name(results["first"])
    assert [reports[name]["end"] for name in ("test_shown_by_code_that_fails", "test_next")] == ["failed", "passed"]
    assert reports["test_shown_by_code_that_fails"]["error_type"] == "AssertionError"


def test_only_what_did_not_pass_is_repeated_in_fresh_processes(drive: Drive) -> None:
    implementation = "calls = []\ndef count():\n    calls.append(1)\n    return len(calls)\n"
    tests = """
        import impl
        def test_a(): assert impl.count() == 1
        def test_b(): assert impl.count() == 1
    """
    results = drive(implementation, tests, ["test_a", "test_b"], repetitions=1)
    assert [report["end"] for report in results["first"]] == ["passed", "failed"]
    assert [[(r["name"], r["end"]) for r in again] for again in results["repetitions"]] == [[("test_b", "passed")]]


def test_each_repetition_can_have_a_hash_seed_of_its_own(drive: Drive) -> None:
    implementation = "def letters():\n    return list({'a', 'b', 'c', 'd', 'e'})\n"
    tests = "import impl\ndef test_a(): raise ValueError(''.join(impl.letters()))\n"
    results = drive(implementation, tests, ["test_a"], repetitions=3, hash_seeds=["1", "2", "3"])
    told = [results["first"][0]["error_message"], *(again[0]["error_message"] for again in results["repetitions"])]
    assert len(set(told)) == 4


def test_every_worker_finds_the_files_as_submitted(drive: Drive) -> None:
    implementation = """
        from pathlib import Path
        def visits():
            log = Path(__file__).with_name("log.txt")
            log.write_text(log.read_text() + "x")
            return len(log.read_text())
    """
    tests = "import impl\ndef test_a(): assert impl.visits() == 2\n"
    results = drive({"impl.py": implementation, "log.txt": ""}, tests, ["test_a"], repetitions=2)
    ends = [results["first"][0]["error_message"], *(again[0]["error_message"] for again in results["repetitions"])]
    assert all(message.startswith("assert 1 == 2") for message in ends)


def test_a_source_layout_is_importable(drive: Drive) -> None:
    files = {"src/pkg/__init__.py": "", "src/pkg/deep.py": "def f():\n    return 1\n"}
    tests = "def test_a():\n    from pkg.deep import f\n    assert f() == 1\n"
    results = drive(files, tests, ["test_a"], import_roots=["src"], modules=["pkg.deep"])
    assert results["first"][0]["end"] == "passed"


def test_importing_is_not_calling(drive: Drive) -> None:
    implementation = "def helper():\n    return 1\nVALUE = helper()\n"
    results = drive(implementation, "def test_a():\n    import impl\n    assert nothing\n", ["test_a"])
    assert not results["first"][0]["reached_implementation"]


def test_a_hang_at_import_is_reported_for_every_test_without_trying_again(drive: Drive) -> None:
    tests = "import impl\ndef test_a(): assert impl\ndef test_b(): assert impl\n"
    results = drive("while True:\n    pass\n", tests, ["test_a", "test_b"], test_timeout_s=2)
    assert [report["end"] for report in results["first"]] == ["timed_out", "timed_out"]


def test_a_daemon_of_the_implementation_does_not_outlive_the_run(drive: Drive, tmp_path: Path) -> None:
    implementation = f"""
        import os
        import time
        def start():
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    open({str(tmp_path / "pid")!r}, "w").write(str(os.getpid()))
                    time.sleep(600)
                os._exit(0)
            os.wait()
            time.sleep(0.5)
            return 1
    """
    results = drive(implementation, "import impl\ndef test_a(): assert impl.start() == 1\n", ["test_a"])
    pid = (tmp_path / "pid").read_text()
    assert results["first"][0]["end"] == "passed"
    assert not Path("/proc", pid).exists()


def test_a_crash_is_located_by_its_stack(drive: Drive) -> None:
    implementation = "import faulthandler\ndef crash():\n    faulthandler._sigsegv()\n"
    results = drive(implementation, "import impl\ndef test_a(): impl.crash()\n", ["test_a"])
    report = results["first"][0]
    assert (report["end"], report["raised_in_implementation"]) == ("died", True)


def test_a_recursion_limit_is_raised_for_the_repetitions(drive: Drive) -> None:
    implementation = "def depth(n):\n    return 0 if n == 0 else 1 + depth(n - 1)\n"
    tests = "import impl\ndef test_a(): assert impl.depth(3000) == 3000\n"
    results = drive(implementation, tests, ["test_a"], repetitions=1, recursion_limits=[1000, 10000])
    assert results["first"][0]["error_type"] == "RecursionError"
    assert results["repetitions"][0][0]["end"] == "passed"


def test_what_is_printed_shows_no_test_of_ours(drive: Drive) -> None:
    tests = "import impl\n" + "".join(
        f"def test_{name}():\n    assert impl.double(2) == {value}\n" for name, value in (("right", 4), ("wrong", 5))
    )
    results = drive(IMPLEMENTATION, "print('begun')\n" + tests, ["test_right", "test_wrong"])
    assert "assert impl.double(2) == 5" in results["first"][1]["traceback"]
    assert results["output"] == "begun\n"


@pytest.mark.parametrize(
    ("name", "ends"),
    [*((name, ["passed", "failed"]) for name in ("calendar", "pluggy", "refute")), ("pytest", ["broken"] * 2)],
)
def test_code_named_like_a_module_that_is_loaded_is_what_the_tests_meet(
    name: str, ends: list[str], tmp_path: Path
) -> None:
    files = {f"{name}/__init__.py": "def f():\n    return 1\n", f"{name}/sub.py": "def g():\n    return 2\n"}
    tests = f"import pytest\ndef test_a():\n    from {name} import f\n    assert f() == 1\n"
    tests += f"def test_b():\n    from {name}.sub import g\n    assert g() == 1\n"
    results = run_driver(tmp_path, files, tests, ["test_a", "test_b"], modules=[name, f"{name}.sub"])
    assert [one["end"] for one in results["first"]] == ends
