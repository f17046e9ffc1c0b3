"""Whether a run may stand for later ones: only where it ran to its end, and nothing says that another would differ.

What hangs on a limit may hang on how busy the machine was; what ended differently from run to run is up to chance; and
a program that failed once was run once. All of that runs again.
"""

import re
from typing import Final

from refute.adversary.attack import AttackRun, TestEnd, TestRun
from refute.adversary.promises import limit_reached
from refute.adversary.strength.record import MutantEnd, Strength
from refute.sandbox.job import Exited, JobResult
from refute.statistics.interval import wilson

SETTLED: Final = frozenset({TestEnd.PASSED, TestEnd.FAILED, TestEnd.BROKEN, TestEnd.SKIPPED})
"""Ends that a test comes to by itself."""
LIBRARY_TROUBLE: Final = re.compile(
    r"hypothesis\.errors\.(?:Flaky\w*|InconsistentGeneration|DeadlineExceeded|FailedHealthCheck)\Z"
)
"""Hypothesis saw chance at work, or a slow machine."""
ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]+")


def ended_well(result: JobResult) -> str:
    """Why a job's result may not stand for a later one's; empty where it may."""
    if result.end != Exited(code=0):
        return f"it ended {result.end}"
    return "files outside the workspace were touched" if result.canary_files_touched else ""


def repeatable(run: AttackRun) -> str:
    """Why an attack's run may not stand for a later one; empty where it may."""
    if run.tampering or run.timed_out:
        return run.tampering[0] if run.tampering else "its time was over"
    again = [test for tests in run.repetitions for test in tests]
    for test in (*run.first, *again):
        if test.end not in SETTLED or limit_reached(test) not in {"", "recursion"}:
            return f"{test.name} ended {test.end}"
        if LIBRARY_TROUBLE.match(test.error_type):
            return f"{test.name} ended {test.error_type}"
    failing = {test.name: _said(test) for test in run.first if test.end is not TestEnd.PASSED}
    differing = [test.name for test in again if failing.get(test.name) != _said(test)]
    return f"{differing[0]} did not end the same each time" if differing else ""


def settled(strength: Strength) -> str:
    """Why a score may not stand for a later one; empty where it may.

    A mutant that ran into a limit counts neither way. It might have been killed, or have survived, on a quicker
    machine; where that would put the score on the other side of the floor, it is measured again.
    """
    if strength.void or strength.not_run or strength.notes or strength.unjudged:
        return strength.void or strength.unjudged or "not every mutant was run"
    if any(one.end is MutantEnd.UNCLEAR for one in strength.survivors):
        return "what became of a mutant is unclear"
    n = strength.n + strength.limit
    population = None if strength.population is None else strength.population + strength.limit
    worst, _ = wilson(strength.killed, n, population=population)
    best, _ = wilson(strength.killed + strength.limit, n, population=population)
    return "" if (best < strength.floor) or (worst >= strength.floor) else "mutants that hung might decide"


def _said(test: TestRun) -> tuple[TestEnd, str, str]:
    """How a test ended, without addresses, which say nothing."""
    return test.end, test.error_type, ADDRESS.sub("", test.error_message)
