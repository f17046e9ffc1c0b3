"""A trial of two tests, and runs of it as a container would report them."""

from collections.abc import Sequence
from dataclasses import replace
from random import SystemRandom
from typing import Any

import pytest

from refute.adversary.attack import Brief, TestEnd, TestRun
from refute.adversary.contract import VariantRun
from refute.adversary.strength.hollow import CONTROL
from refute.adversary.strength.mutants import Mutant
from refute.adversary.strength.trial import Trial, VariantRuns, make_trial
from refute.settings import Settings
from tests.refute.adversary.conftest import make_attack, make_brief, make_run, make_test, make_triaged

SOURCE = '''"""Doubles."""


def double(x):
    if x < 0:
        raise ValueError("negative")
    return 2 * x
'''
TESTS = """import pytest


def test_four():
    import impl
    assert impl.double(2) == 4


def test_seen():
    from impl import double
    assert double(3) == 6
"""
NAMES = ("test_four", "test_seen")


@pytest.fixture
def brief() -> Brief:
    """Of `impl.py`."""
    return make_brief(source=SOURCE)


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The defaults."""
    monkeypatch.chdir("/")  # no refute.yaml of this checkout
    return Settings.load()


@pytest.fixture
def trial(brief: Brief, settings: Settings) -> Trial:
    """Of a claims-only test and one that saw the code."""
    tests = [replace(make_test("test_seen"), round="code-aware-1"), make_test("test_four")]
    triaged = [make_triaged(test, run=make_run(test.name, TestEnd.PASSED, attested=True)) for test in tests]
    return make_trial(make_attack(TESTS, tests), triaged, brief, settings, chance=SystemRandom())


def mutant(number: int = 1, **facts: Any) -> Mutant:
    """A mutant that changes something."""
    fields: dict[str, Any] = {"path": "impl.py", "line": 5, "change": "< → <=", "source": "x = 1\n", "diff": "d"}
    return Mutant(number=number, **(fields | facts))


def ran(trial: Trial, name: str, *tests: TestRun, tampering: tuple[str, ...] = ()) -> VariantRun:
    """The tests on a variant; those not given passed, unless one given did not and ended it."""
    given = {test.name: test for test in tests}
    reports: list[TestRun] = []
    for test in trial.tests:
        reports.append(given.get(test, make_run(test, TestEnd.PASSED)))
        if reports[-1].end is not TestEnd.PASSED:
            break
    return VariantRun(name=name, reports=tuple(given.get(one.name, one) for one in reports), tampering=tampering)


def container(trial: Trial, *runs: VariantRun, controls: bool = True) -> VariantRuns:
    """What a container told, with a control that passed, and hollow variants that every test notices."""
    passed = [ran(trial, CONTROL)] if controls else []
    return VariantRuns(runs=(*runs, *passed, *(hollow(trial, name, fail=trial.tests) for name in trial.hollow)))


def hollow(trial: Trial, name: str, *, fail: Sequence[str] = (), **facts: Any) -> VariantRun:
    """All tests on a hollow variant, of which some fail."""
    failed = {"end": TestEnd.FAILED, "error_type": "AssertionError"} | facts
    runs = [make_run(test, **failed) if test in fail else make_run(test, TestEnd.PASSED) for test in trial.tests]
    return VariantRun(name=name, reports=tuple(runs), tampering=())
