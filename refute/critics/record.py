"""A review: what one critic says of a change, and how far each of its failures is confirmed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final

from refute.critics.focus import Focus


class Severity(StrEnum):
    """How bad a failure would be."""

    CRITICAL = "critical"
    """Incorrect behaviour, data loss, a breach."""
    MAJOR = "major"
    """A significant defect."""
    MINOR = "minor"

    @property
    def blocks(self) -> bool:
        """Whether it would keep the change from going on."""
        return self is not Severity.MINOR


class ReviewVerdict(StrEnum):
    """What a critic concludes."""

    PASS = "pass"  # no password
    FAIL = "fail"
    """At least one critical or major failure."""
    CONDITIONAL_PASS = "conditional_pass"  # no password
    """Only minor ones."""
    UNAVAILABLE = "unavailable"
    """The critic gave no answer that can be read."""


class Standing(StrEnum):
    """How far a failure is more than an opinion."""

    CONFIRMED = "confirmed"
    """Its counterexample ran in the sandbox, and fails."""
    UPHELD = "upheld"
    """A person says that it is one."""
    DISMISSED = "dismissed"
    """A person says that it is none."""
    UNCONFIRMED = "unconfirmed"
    """It has no counterexample, or one that shows nothing."""
    WITHOUT_EVIDENCE = "without evidence"
    """The file, lines or words that it names are not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewFailure:
    """One failure that a critic names."""

    severity: Severity
    description: str
    evidence: str
    """`path:line`, `path:first-last`, or a passage of the code."""
    standing: Standing = Standing.UNCONFIRMED
    reason: str = ""
    """Why it stands so, in words."""
    counterexample: str = ""
    """Name of its test in the attack that was made of the counterexamples; empty where it gave none."""
    remediation: str = ""
    """Asked for later, and only of what is confirmed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What one critic says."""

    critic_id: str
    """The focus with the version of its prompt: `correctness-1`."""
    focus: Focus
    verdict: ReviewVerdict
    failures: tuple[ReviewFailure, ...] = ()
    note: str = ""
    """What a reader should know: a verdict that was corrected, why there is no answer."""
    model: str = ""
    """The version that answered; empty for a critic that is a program."""
    input_tokens: int = 0
    output_tokens: int = 0
    """Thinking included."""
    cost_usd: Decimal | None = Decimal(0)
    """None where no price is known."""
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    round: int = 1

    @property
    def confirmed(self) -> tuple[ReviewFailure, ...]:
        """The critical and major failures that a test showed, or a person upheld."""
        return tuple(one for one in self.blocking if one.standing in HELD)

    @property
    def blocking(self) -> tuple[ReviewFailure, ...]:
        """The critical and major failures whose evidence is there."""
        return tuple(
            one for one in self.failures if one.severity.blocks and one.standing is not Standing.WITHOUT_EVIDENCE
        )


HELD: Final = frozenset({Standing.CONFIRMED, Standing.UPHELD})
"""More than an opinion."""


Named = tuple[Review, ReviewFailure]
"""A failure, and the review that names it."""


class ReworkEnd(StrEnum):
    """How a rework ended."""

    PASSED_REVIEW = "passed its review"
    FAILED_REVIEW = "failed its review"
    REFUSED = "refused"
    """It changed other files than those of the implementation, or none."""
    FAILED = "failed"
    """The command, or the review of what it made, did not come to an end that says something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rework:
    """One rework and what became of it, as the outcome keeps it."""

    round: int
    """Of the review that looks at it; the submitted files are round 1."""
    end: ReworkEnd
    reason: str
    changed: tuple[str, ...] = ()
    folder: str = ""
    """Where the mended copy is kept."""
    diff: str = ""
    """The file that holds its difference to what was submitted."""
    reviews: tuple[Review, ...] = ()


def verdict_of(failures: Sequence[ReviewFailure]) -> ReviewVerdict:
    """The verdict that follows from failures."""
    if any(one.severity.blocks for one in failures):
        return ReviewVerdict.FAIL
    return ReviewVerdict.CONDITIONAL_PASS if failures else ReviewVerdict.PASS
