"""What the two-process runner costs, side by side with one process, in one run: a call, and a whole suite.

Run: `.venv/bin/python benchmarks/runner_split.py`. Absolute figures are of the machine; the differences are the point.
"""

import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WORKER = ROOT / "refute" / "driver" / "worker.py"
# Calls are told by their lower decile: what a busy machine adds is none of ours.
IMPLEMENTATION = """
class Point:
    def __init__(self, x):
        self.x = x
    def moved(self, by):
        return Point(self.x + by)

def double(x):
    return 2 * x

def ordered(items):
    return sorted(items)
"""
CALLS = """
import statistics
import time
from impl import Point, double, ordered

def timed(action, count):
    spent = []
    for _ in range(count):
        began = time.perf_counter()
        action()
        spent.append(time.perf_counter() - began)
    return sorted(spent)[len(spent) // 10] * 1e6

def test_calls():
    p, ten, many = Point(1), list(range(10)), list(range(10_000))
    print("FIGURES", timed(lambda: double(3), 3000), timed(lambda: p.moved(1), 2000), timed(lambda: ordered(ten), 2000),
          timed(lambda: ordered(many), 100))
"""
SUITE = "import impl\n" + "".join(f"def test_{n}():\n    assert impl.double({n}) == {2 * n}\n" for n in range(10))
PLAIN = ["-q", "-s", "-c", os.devnull, "-p", "no:cacheprovider", "-p", "no:faulthandler", "--noconftest"]
ROUNDS = 20


def in_one(folder: Path, tests: str) -> tuple[float, str]:
    """The suite by pytest with the implementation in the same process; seconds and output."""
    file = folder / "attack" / "test_adversarial_x.py"
    file.write_text(tests)
    options = [*PLAIN, "--import-mode=importlib", "-p", "_hypothesis_pytestplugin", str(file)]
    program = f"import sys, hypothesis, pytest; sys.exit(pytest.main({options!r}))"
    environment = {**os.environ, "PYTHONPATH": str(folder / "workspace"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    began = time.perf_counter()
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-P", "-B", "-c", program],
        env=environment,
        cwd=folder / "workspace",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return time.perf_counter() - began, done.stdout


def in_two(folder: Path, tests: str, names: list[str]) -> tuple[float, str]:
    """The suite by the worker with its subject; seconds and output."""
    file = folder / "attack" / "test_adversarial_x.py"
    file.write_text("# held in memory\n")
    workspace = str(folder / "workspace")
    job: dict[str, Any] = {
        "key": "k", "tests": names, "workspace": workspace, "attack_dir": str(folder / "attack"),
        "test_file": str(file),
        "import_roots": [workspace], "modules": ["impl"], "memory_bytes": 1536 << 20, "recursion_limit": 1000,
        "shrinks": True, "source": tests,
    }  # fmt: skip
    events, end = os.pipe()
    null = os.open(os.devnull, os.O_WRONLY)
    began = time.perf_counter()
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-s", "-P", "-B", str(WORKER), str(end), str(null), str(null)],
        input=json.dumps(job), capture_output=True, text=True, check=False, pass_fds=(end, null), cwd=workspace,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    spent = time.perf_counter() - began
    for descriptor in (events, end, null):
        os.close(descriptor)
    assert done.returncode == 0, done.stdout + done.stderr
    return spent, done.stdout


def figures(output: str) -> list[float]:
    """The microseconds that the calls' test printed."""
    line = next(line for line in output.splitlines() if "FIGURES" in line)
    return [float(part) for part in line.split("FIGURES")[1].split()]


def main() -> None:
    """Measure, alternating, and print a table."""
    compileall.compile_dir(str(WORKER.parent), quiet=1)  # as in the image
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("workspace", "attack"):
            (folder / part).mkdir()
        (folder / "workspace" / "impl.py").write_text(IMPLEMENTATION)
        one, two = figures(in_one(folder, CALLS)[1]), figures(in_two(folder, CALLS, ["test_calls"])[1])
        names = [f"test_{n}" for n in range(10)]
        pairs = [(in_one(folder, SUITE)[0], in_two(folder, SUITE, names)[0]) for _ in range(ROUNDS)]
    print("| what | one process | two processes | added |\n|---|---|---|---|")
    kinds = ("function of an int", "method giving an object", "function of 10 items", "function of 10,000 items")
    for what, before, after in zip(kinds, one, two, strict=True):
        print(f"| {what} | {before:.1f} µs | {after:.0f} µs | {after - before:.0f} µs |")
    plain, split = (statistics.median(column) for column in zip(*pairs, strict=True))
    added = statistics.median(after - before for before, after in pairs)
    suite = f"a suite of 10 tests, median of {ROUNDS}"
    print(f"| {suite} | {plain * 1e3:.0f} ms | {split * 1e3:.0f} ms | {added * 1e3:.0f} ms |")


if __name__ == "__main__":
    main()
