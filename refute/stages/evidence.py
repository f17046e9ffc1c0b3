"""What the executing stages return: the author's verification, the attack's run, and what its results mean."""

from dataclasses import dataclass

from refute.adversary.attack import AttackRun, TriagedTest
from refute.outcome import ClaimResult, Stop, TestFailure
from refute.sandbox.job import JobResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The author's own script, run once in a container."""

    result: JobResult
    summary: str
    stop: Stop | None = None
    """Where the verification decides the ticket."""
    notes: tuple[str, ...] = ()
    """Breaches of the rules for verification scripts; not refutations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackStage:
    """The attack, run in a container of its own."""

    run: AttackRun | None
    """None where there was no test to run."""
    result: JobResult | None
    summary: str
    stop: Stop | None = None
    """Where the run decides the ticket by what it did outside its workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Triage:
    """What the attack's results mean."""

    triaged: tuple[TriagedTest, ...] = ()
    claims: tuple[ClaimResult, ...] = ()
    failures: tuple[TestFailure, ...] = ()
    summary: str = ""
