"""Nothing submitted runs before someone approved exactly these files: the question, the decision, who may answer."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from refute.scan.finding import Finding, ScanResult
from refute.ticket.record import Snapshot, Ticket


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person is asked: may this script run in the sandbox, with these limits?"""

    ticket: Ticket
    snapshot: Snapshot
    script: str
    """The verification script as frozen in the snapshot."""
    scan: ScanResult
    plan: tuple[str, ...]
    """What would run and with which limits, one line each."""
    opinions: tuple[str, ...] = ()
    """Failures that critics name and no test shows. Where there are any, they are what is asked about: an approval
    dismisses them, a denial by somebody upholds them."""

    @property
    def dangers(self) -> tuple[Finding, ...]:
        """Findings that only an explicit override lets through; the person must see them named."""
        return self.scan.blocking


@dataclass(frozen=True, slots=True, kw_only=True)
class Beforehand:
    """When an answer was given that was there before its ticket's run asked."""

    asked_at: datetime | None = None
    """When somebody was first asked; None: nobody was, it was said in advance."""
    answered_at: datetime | None = None
    """None: with the run's own question."""


IN_ADVANCE: Final = Beforehand()
NOBODY_ASKED: Final = "nobody was asked, as the run was approved in advance; verify it without --yes to answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Yes, bound to one snapshot: other files need another approval."""

    snapshot_digest: str
    by: str
    note: str = ""
    """Why, where somebody said so."""
    beforehand: Beforehand | None = None
    """None: somebody was asked while the run waited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """No, or no answer in time."""

    reason: str
    by: str = ""
    """Who declined; empty: nobody did, there was no answer."""
    beforehand: Beforehand | None = None
    """As of an approval."""


Decision = Approval | Denial


class Answered(StrEnum):
    """How a confirmation ended."""

    CONFIRMED = "confirmed"
    DECLINED = "declined"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """Who answered what and when, as the outcome keeps it. Moments in UTC."""

    answer: Answered
    by: str
    """Who or what answered; empty: nobody did."""
    note: str
    """The answer in words, with its reason where one was given."""
    asked_at: datetime | None
    """None: nobody was asked, it was said in advance."""
    answered_at: datetime
    """When the answer came, or was no longer waited for."""
    snapshot_digest: str
    """The files that it is about."""
    findings: tuple[str, ...] = ()
    """Names of the findings that block unless the answer overrides them."""

    @property
    def confirmed(self) -> bool:
        """Whether these files may run."""
        return self.answer is Answered.CONFIRMED


class Approver(Protocol):
    """Someone, or a policy, that answers."""

    def ask(self, question: Question) -> Decision:
        """Answer within the question's time."""
        ...


class AdvanceApprover:
    """Somebody said yes in advance. Findings that block are never approved this way.

    Args:
        by: who or what did: `--yes` of a person, or a deployment.
    """

    def __init__(self, *, by: str) -> None:
        self._by = by

    def ask(self, question: Question) -> Decision:
        """Approve a script without blocking findings.

        Returns:
            An approval of the question's snapshot, or a denial that names how to override.
        """
        if question.opinions:
            return Denial(reason=NOBODY_ASKED)
        if question.dangers:
            rules = ", ".join(sorted({finding.rule_id for finding in question.dangers}))
            return Denial(
                reason=f"an approval in advance does not cover dangerous findings ({rules}); answer in person",
                beforehand=IN_ADVANCE,
            )
        return Approval(snapshot_digest=question.snapshot.digest, by=self._by, beforehand=IN_ADVANCE)
