"""What the executing stages return: the author's verification, the attack's run, and what its results mean."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from refute.adversary.attack import Attack, AttackRun, Screening, TriagedTest, TriageVerdict
from refute.adversary.strength.record import Strength
from refute.adversary.strength.violations import Violation
from refute.critics.answer import Counterexample
from refute.critics.focus import Focus
from refute.critics.judging import Judgement
from refute.critics.record import Review, ReviewFailure, ReviewVerdict, Rework
from refute.outcome import ClaimResult, KeptFrom, ModelUse, RoundYield, SecondEnvironment, Stop, TestFailure
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
    kept: KeptFrom | None = None
    """None where it was run."""

    @property
    def sandbox_s(self) -> float:
        """Time in the container, where it was run."""
        return 0.0 if self.kept else self.result.duration_s


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """What the ticket's references say, read on the web."""

    brief: str = ""
    """Passages with their addresses; empty where nothing was read."""
    summary: str = ""
    """Empty where no reference was to be read."""
    notes: tuple[str, ...] = ()
    cost_usd: Decimal | None = Decimal(0)
    models: tuple[ModelUse, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """The attack as a tester wrote it, and what that cost."""

    attack: Attack
    cost_usd: Decimal | None
    """None where a model without a known price was asked."""
    models: tuple[ModelUse, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader should know of how it was written; one line each."""
    rounds: tuple[RoundYield, ...] = ()
    """What each round wrote; what became of it is known later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackStage:
    """The attack, run in a container of its own."""

    run: AttackRun | None
    """None where there was no test to run."""
    result: JobResult | None
    summary: str
    stop: Stop | None = None
    """Where the run decides the ticket by what it did outside its workspace."""
    kept: KeptFrom | None = None
    """None where it was run."""

    @property
    def sandbox_s(self) -> float:
        """Time in the container, where it was run."""
        return 0.0 if self.kept or self.result is None else self.result.duration_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Triage:
    """What the attack's results mean."""

    triaged: tuple[TriagedTest, ...] = ()
    claims: tuple[ClaimResult, ...] = ()
    failures: tuple[TestFailure, ...] = ()
    summary: str = ""
    cost_usd: Decimal | None = Decimal(0)
    """Of the oracle vote; None where a model without a known price was asked."""
    models: tuple[ModelUse, ...] = ()
    sandbox_s: float = 0.0
    """Of reproducing refutations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What an attack came to: its tests, their run, and what that means."""

    screening: Screening
    attacked: AttackStage
    triage: Triage


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardening:
    """The attack after a round that was shown what it had not noticed; as before, where no such round was held."""

    evidence: Evidence
    measured: "StrengthStage"
    summary: str = ""
    """Empty where no round was called for."""
    writing: Writing | None = None
    """What the model wrote; None where it wrote nothing."""
    cost_usd: Decimal | None = Decimal(0)
    models: tuple[ModelUse, ...] = ()
    """Of writing, and of the vote about the first attack."""
    notes: tuple[str, ...] = ()

    @property
    def stop(self) -> Stop | None:
        """Where the run of the new tests decides the ticket."""
        return self.evidence.attacked.stop


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthStage:
    """How strong the attack was."""

    strength: Strength | None
    """None where no strength could change the verdict."""
    summary: str
    sandbox_s: float = 0.0
    duration_s: float = 0.0
    kept: KeptFrom | None = None
    """None where it was run."""
    violations: tuple[Violation, ...] = ()
    """That were planted; the same ones measure again after hardening."""
    cost_usd: Decimal | None = Decimal(0)
    """Of having them planted."""
    models: tuple[ModelUse, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondRun:
    """The evidence after the second run, and what that came to."""

    evidence: Evidence
    found: SecondEnvironment | None = None
    """None where nothing was about to pass."""
    summary: str = ""
    sandbox_s: float = 0.0
    kept: KeptFrom | None = None
    """None where it was run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Critique:
    """What the critics of a ticket say, and what that means for it."""

    reviews: tuple[Review, ...]
    judgement: Judgement
    tests: str = ""
    """Source of the counterexamples as they ran; empty without any."""
    cost_usd: Decimal | None = Decimal(0)
    """Of all their calls, votes about counterexamples included."""
    models: tuple[ModelUse, ...] = ()
    sandbox_s: float = 0.0
    kept: KeptFrom | None = None
    """None where tools did not read the code, or read it now."""
    proven: tuple[tuple[Focus, ReviewFailure, Counterexample], ...] = ()
    """The confirmed failures with the tests that show them, for a later round."""
    stop: Stop | None = None
    """Where the code destroyed something outside its copy while a counterexample ran."""

    @property
    def summary(self) -> str:
        """`correctness pass, security fail (1 confirmed)`; empty where no critic was asked."""
        return ", ".join(f"{one.critic_id if not one.model else one.focus} {_told(one)}" for one in self.reviews)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reworking:
    """The reworks of a change that failed its review; what was submitted stays what is verified."""

    reworks: tuple[Rework, ...] = ()
    cost_usd: Decimal | None = Decimal(0)
    """Of their reviews; what the command itself costs is not known here."""
    models: tuple[ModelUse, ...] = ()
    sandbox_s: float = 0.0
    """Of their reviews."""

    @property
    def summary(self) -> str:
        """`round 2 passed its review`; empty where nothing was reworked."""
        return ", ".join(f"round {one.round} {one.end}" for one in self.reworks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """The critique after a person was asked about what is opinion."""

    critique: Critique
    summary: str = ""
    """Who said what; empty where there was nothing to ask."""


def _told(review: Review) -> str:
    confirmed = len(review.confirmed)
    said = review.verdict.replace("_", " ")
    return f"{said} ({confirmed} confirmed)" if review.verdict is ReviewVerdict.FAIL else said


def round_yields(
    writings: Iterable[Writing | None], screening: Screening | None, triage: Triage | None
) -> tuple[RoundYield, ...]:
    """What each round of writing brought: how many of its tests were accepted, and how many refute.

    Args:
        writings: in the order in which they were asked for; None where there was none.
        screening: of all their tests.
        triage: of all their tests.
    """
    accepted = Counter((one.tester, one.round) for one in (screening.attack.tests if screening else ()))
    refuting = Counter(
        (one.test.tester, one.test.round)
        for one in (triage.triaged if triage else ())
        if one.verdict is TriageVerdict.REFUTED
    )
    return tuple(
        replace(one, accepted=accepted[one.tester, one.round], refuting=refuting[one.tester, one.round])
        for writing in writings
        for one in (writing.rounds if writing else ())
    )
