"""Which tests a run collects, in which order, and what coverage follows of them: hooks for `conftest.py`."""

import gc
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from coverage import Coverage

HEAVY = ("engine", "prefect", "postgres", "browser", "slow")
MARKS = re.compile(rf"\bmark\.({'|'.join(HEAVY)})\b")
TRACING = "COVERAGE_PROCESS_CONFIG"
"""By this variable coverage follows a process into those that it starts (its `patch = subprocess`)."""
TRACED = pytest.StashKey[str | None]()
LONGEST = (
    "scenarios/test_two_workers.py",
    "hostile/test_behaviours.py",
    "scenarios/test_tutorial.py",
    "scenarios/test_samples.py",
    "scenarios/test_critics.py",
    "scenarios/test_batch.py",
    "scenarios/test_second_environment.py",
    "scenarios/test_deployed.py",
    "scenarios/test_gemini.py",
    "forgeries/test_no_forgery_counts.py",
    "scenarios/test_attack.py",
    "hostile/test_deceptions.py",
    "compat/test_cases_hold_in_two_processes.py",
    "driver/test_in_container.py",
    "scenarios/test_personas.py",
    "scenarios/test_cached_results.py",
    "scenarios/test_ui.py",
    "scenarios/test_confirmation_form.py",
    "flows/test_lost_server.py",
    "scenarios/test_network.py",
    "scenarios/test_gate.py",
    "judgement/test_reproducer.py",
    "scenarios/test_interruption.py",
    "evaluation/test_attacks.py",
    "scenarios/test_killed_runs.py",
    "forgeries/test_in_container.py",
    "sandbox/test_image.py",
    "scenarios/test_engine_death.py",
    "scenarios/test_bench.py",
)
"""Files that take longest, each run by one worker: begun last, one would keep that busy while the others stand idle.

`test_two_workers` and `test_deployed` wait for servers: side by side they would leave the cores to one worker.
Behaviours need no `state_dir`, which the first of the others makes while those beside it wait.
"""
REPEATING = (
    "scenarios/test_forgeries.py",
    "scenarios/test_personas.py",
    "scenarios/test_samples.py",
    "scenarios/test_killed_runs.py",
    "scenarios/test_two_workers.py",
    "scenarios/test_gemini.py",
    "scenarios/test_cached_results.py",
    "scenarios/test_engine_death.py",
    "scenarios/test_interruption.py",
    "hostile/test_behaviours.py",
    "hostile/test_deceptions.py",
    "hostile/test_endurance.py",
    "driver/test_in_container.py",
    "driver/test_run_suite.py",
    "driver/test_variants.py",
    "strength/test_in_container.py",
    "forgeries/test_in_container.py",
    "forgeries/test_no_forgery_counts.py",
    "reports/test_report_in_a_browser.py",
    "property/test_styles.py",
    "property/test_traps.py",
    "scan/test_hostile.py",
    "guardrails/test_injection.py",
    "evaluation/test_attacks.py",
    "research/test_non_interference.py",
)
"""Files that put other code through the same lines of ours as the files beside them: coverage stops meanwhile."""


@contextmanager
def uncovered(*, when: bool) -> Iterator[None]:
    """Coverage does not follow this process meanwhile: it adds 70 to 140 % to the processor time of our code."""
    measuring = Coverage.current() if when else None
    if measuring is not None:
        measuring.stop()
    try:
        yield
    finally:
        if measuring is not None:
            measuring.start()


def _is_heavy(config: pytest.Config) -> bool:
    return "(engine or" in config.option.markexpr


def _may_be_heavy(path: Path) -> bool:
    """Whether a file of tests, or what lies beside it for them, names a mark of heavy ones."""
    beside = path.with_name("conftest.py")
    return any(MARKS.search(one.read_text()) for one in (path, beside) if one.exists())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The heavy run leaves alone what has none of its tests: half of what each of its workers did before the first."""
    is_quick = collection_path.match("test_*.py") and _is_heavy(config) and not _may_be_heavy(collection_path)
    return True if is_quick else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """A file whose heavy tests the heavy run would not find is an error of every other."""
    report = yield
    found = [one for one in report.result or () if any(map(one.get_closest_marker, HEAVY))]
    if found and isinstance(collector, pytest.Module) and not _may_be_heavy(collector.path):
        report.outcome, report.longrepr = "failed", f"{found[0].nodeid} is heavy, and its file names no mark of {HEAVY}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """What is imported and collected stays: the collector need not walk a million objects again and again.

    The heavy run imports what the quick one has imported and covered: 4 s of a core for each of its workers.
    """
    gc.disable()
    try:
        with uncovered(when=_is_heavy(session.config)):
            return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Follow no test that repeats others' ways through our code."""
    with uncovered(when=item.path.as_posix().endswith(REPEATING)):
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first; `--no-loadscope-reorder` keeps it so. Others stay in their order."""
    items.sort(key=lambda item: _rank(item.path.as_posix()))


def _rank(path: str, longest: Sequence[str] = LONGEST) -> int:
    return next((rank for rank, name in enumerate(longest) if path.endswith(name)), len(longest))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Coverage follows no process that a heavy test starts, unless it is marked `traced`.

    It doubles the processor time of Prefect's server (24 s instead of 11 for a first start) and adds 60 % to a command
    line's, for lines that one such process has covered as well as fifty.
    """
    stash = item.config.stash
    tracing = stash.setdefault(TRACED, os.environ.get(TRACING))
    if tracing is None:
        return
    os.environ[TRACING] = tracing
    if any(map(item.get_closest_marker, HEAVY)) and item.get_closest_marker("traced") is None:
        del os.environ[TRACING]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Tell a failure at once: a run that is stopped by its time limit prints none of pytest's own reports."""
    if report.failed and not os.environ.get("PYTEST_XDIST_WORKER"):
        told = f"\nFAILED {report.nodeid} ({report.when}, {report.duration:.0f} s)\n{report.longreprtext[-1500:]}\n"
        sys.stderr.write(told)
